// Programs of client-go and controller-runtime, for tests that compare them with @kube-informer/controller.
//
//	controller-runtime electors NAMESPACE NAME   client-go electors on one Lease, started and stopped by lines of JSON
//	controller-runtime operator ADDRESS          the sites operator until standard input ends; metrics are served at ADDRESS
//	controller-runtime queues                    runs the scripts on standard input on a queue and prints what it did
package main

import (
	"fmt"
	"os"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	switch {
	case len(os.Args) == 4 && os.Args[1] == "electors":
		electors(os.Args[2], os.Args[3])
	case len(os.Args) == 3 && os.Args[1] == "operator":
		operator(os.Args[2])
	case len(os.Args) == 2 && os.Args[1] == "queues":
		queues()
	default:
		fail(fmt.Errorf("usage: %s electors NAMESPACE NAME | operator ADDRESS | queues", os.Args[0]))
	}
}

// config is of the server that KUBECONFIG names. No client waits for its own rate limit.
func config() *rest.Config {
	c, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must(err)
	c.QPS = -1
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
