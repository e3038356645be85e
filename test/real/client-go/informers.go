package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	typed "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

// informers keeps one cache per kind of client. It says "synced" once, then answers each line with all caches.
func informers(namespace string) {
	ctx := context.Background()
	resource := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	caches := map[string]cache.SharedIndexInformer{
		"typed protobuf": typedConfigMaps(namespace, runtime.ContentTypeProtobuf),
		"typed json":     typedConfigMaps(namespace, runtime.ContentTypeJSON),
		"metadata": metadatainformer.NewFilteredSharedInformerFactory(
			metadata.NewForConfigOrDie(config("")), 0, namespace, nil).ForResource(resource).Informer(),
		"dynamic": dynamicinformer.NewFilteredDynamicSharedInformerFactory(
			dynamic.NewForConfigOrDie(config("")), 0, namespace, nil).ForResource(resource).Informer(),
	}
	for _, informer := range caches {
		go informer.RunWithContext(ctx)
	}
	for _, informer := range caches {
		if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
			return
		}
	}
	answer("synced")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		held := map[string]map[string]string{}
		for name, informer := range caches {
			held[name] = map[string]string{}
			for _, object := range informer.GetStore().List() {
				m, err := meta.Accessor(object)
				must(err)
				held[name][m.GetName()] = m.GetResourceVersion()
			}
		}
		answer(held)
	}
}

func typedConfigMaps(namespace, contentType string) cache.SharedIndexInformer {
	client := kubernetes.NewForConfigOrDie(config(contentType))
	factory := typed.NewSharedInformerFactoryWithOptions(client, 0, typed.WithNamespace(namespace))
	return factory.Core().V1().ConfigMaps().Informer()
}

func answer(value any) {
	must(json.NewEncoder(os.Stdout).Encode(value))
}
