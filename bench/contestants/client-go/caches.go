package main

import (
	"context"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

var resources = map[string]schema.GroupVersionResource{
	"pods":    {Version: "v1", Resource: "pods"},
	"widgets": {Group: "bench.example.com", Version: "v1", Resource: "widgets"},
}

// caches are the informers of one run, one per namespace.
type caches struct {
	informers []cache.SharedIndexInformer
	counters  *counters
}

// startCaches answers when all informers and their handlers have the initial state.
func startCaches(s start) *caches {
	began := time.Now()
	held := &caches{counters: &counters{readsPhase: s.Read == "phase"}}
	synced := []cache.InformerSynced{}
	for _, namespace := range s.Namespaces {
		informer := newInformer(s, namespace)
		must(informer.AddIndexers(cache.Indexers{"node": func(object any) ([]string, error) {
			return []string{nodeOf(object)}, nil
		}}))
		for range s.Handlers {
			registration, err := informer.AddEventHandler(held.counters)
			must(err)
			synced = append(synced, registration.HasSynced)
		}
		held.informers = append(held.informers, informer)
		go informer.RunWithContext(context.Background())
	}
	cache.WaitForCacheSync(context.Background().Done(), synced...)
	objects := 0
	for _, informer := range held.informers {
		objects += len(informer.GetStore().ListKeys())
	}
	answer(reply{"objects": objects, "wallMs": float64(time.Since(began).Microseconds()) / 1000})
	return held
}

func newInformer(s start, namespace string) cache.SharedIndexInformer {
	narrow := func(options *metav1.ListOptions) { options.LabelSelector = s.Selector }
	if s.Form == "dynamic" {
		client := dynamic.NewForConfigOrDie(config(""))
		factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, narrow)
		return factory.ForResource(resources[s.Resource]).Informer()
	}
	contentType := runtime.ContentTypeJSON
	if s.Form == "protobuf" {
		contentType = runtime.ContentTypeProtobuf
	}
	client := kubernetes.NewForConfigOrDie(config(contentType))
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0,
		informers.WithNamespace(namespace), informers.WithTweakListOptions(narrow))
	return factory.Core().V1().Pods().Informer()
}

func config(contentType string) *rest.Config {
	c, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must(err)
	c.ContentType = contentType
	if contentType == runtime.ContentTypeProtobuf {
		c.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	}
	c.QPS, c.Burst = 1000, 1000
	return c
}

// read gives how many objects a read found, and the time of all reads.
func (c *caches) read(asked command) (int, int64) {
	app, err := labels.Parse("app=" + asked.Argument)
	if asked.What == "labels" {
		must(err)
	}
	found := 0
	began := time.Now()
	for range asked.Times {
		found = 0
		for _, informer := range c.informers {
			found += readOne(informer.GetIndexer(), asked, app)
		}
	}
	return found, time.Since(began).Nanoseconds()
}

func readOne(store cache.Indexer, asked command, app labels.Selector) int {
	found := 0
	switch asked.What {
	case "get":
		if _, exists, _ := store.GetByKey(asked.Argument); exists {
			found = 1
		}
	case "namespace":
		objects, err := store.ByIndex(cache.NamespaceIndex, asked.Argument)
		must(err)
		found = len(objects)
	case "index":
		objects, err := store.ByIndex("node", asked.Argument)
		must(err)
		found = len(objects)
	case "labels":
		must(cache.ListAll(store, app, func(any) { found++ }))
	default:
		for _, object := range store.List() {
			if phaseOf(object) == "Running" {
				found++
			}
		}
	}
	return found
}

func phaseOf(object any) string {
	if pod, ok := object.(*corev1.Pod); ok {
		return string(pod.Status.Phase)
	}
	phase, _, _ := unstructured.NestedString(object.(*unstructured.Unstructured).Object, "status", "phase")
	return phase
}

func nodeOf(object any) string {
	if pod, ok := object.(*corev1.Pod); ok {
		return pod.Spec.NodeName
	}
	node, _, _ := unstructured.NestedString(object.(*unstructured.Unstructured).Object, "spec", "nodeName")
	return node
}

func annotationOf(object any, name string) string {
	m, err := meta.Accessor(object)
	must(err)
	return m.GetAnnotations()[name]
}
