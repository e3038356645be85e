// Programs of Go's client on a server given by KUBECONFIG, for tests that drive them line by line.
//
//	client-go informers NAMESPACE   caches of config maps, each kept by another client; "dump" prints what they hold
//	client-go json NAMESPACE        typed caches of many kinds, read in JSON; "dump" prints all their objects
//	client-go protobuf NAMESPACE    the same, read in protobuf
//	client-go writes NAMESPACE      writes one of each common kind and prints what the server made of it
package main

import (
	"fmt"
	"net"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: %s informers|json|protobuf|writes NAMESPACE", os.Args[0]))
	}
	switch os.Args[1] {
	case "informers":
		informers(os.Args[2])
	case "json", "protobuf":
		objects(os.Args[2], encodings[os.Args[1]])
	case "writes":
		writes(os.Args[2])
	default:
		fail(fmt.Errorf("no such program: %s", os.Args[1]))
	}
}

// config gives a client its own connection, so that cutting one leaves the others alone.
func config(contentType string) *rest.Config {
	c, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must(err)
	c.ContentType = contentType
	if contentType == runtime.ContentTypeProtobuf {
		c.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	}
	c.Dial = (&net.Dialer{}).DialContext
	c.QPS, c.Burst = 1000, 1000
	return c
}

func must(err error) {
	if err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
