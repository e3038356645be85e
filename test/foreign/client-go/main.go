// A program on client-go: informers, apply, status, finalizers, leases. It prints a line for each promise.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const namespace = "default"

type clients struct {
	typed    kubernetes.Interface
	dynamic  dynamic.Interface
	metadata metadata.Interface
}

var failed bool

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must(err)
	config.QPS, config.Burst = 1000, 1000
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	c := newClients(config)
	informers(ctx, c)
	customResources(ctx, c)
	writes(ctx, c)
	lists(ctx, c)
	election(ctx, c)
	events(ctx, c)
	if failed {
		os.Exit(1)
	}
}

func newClients(config *rest.Config) clients {
	typed, err := kubernetes.NewForConfig(config)
	must(err)
	untyped, err := dynamic.NewForConfig(config)
	must(err)
	partial, err := metadata.NewForConfig(config)
	must(err)
	return clients{typed, untyped, partial}
}

// check prints the result of something that is so, or is not.
func check(title string, holds bool, why ...any) {
	if holds {
		fmt.Println("ok", title)
		return
	}
	failed = true
	fmt.Println("not ok", title)
	fmt.Fprintln(os.Stderr, append([]any{title}, why...)...)
}

// until gives something half a minute to become so.
func until(title string, holds func() bool) {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if holds() {
			check(title, true)
			return
		}
	}
	check(title, false)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
