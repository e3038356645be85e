package main

import (
	"bufio"
	"context"
	"os"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	typed "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// whole lists the resources whose objects are compared field by field.
var whole = []schema.GroupVersionResource{
	{Version: "v1", Resource: "configmaps"},
	{Version: "v1", Resource: "secrets"},
	{Version: "v1", Resource: "pods"},
	{Version: "v1", Resource: "services"},
	{Version: "v1", Resource: "persistentvolumeclaims"},
	{Version: "v1", Resource: "resourcequotas"},
	{Group: "apps", Version: "v1", Resource: "deployments"},
	{Group: "apps", Version: "v1", Resource: "statefulsets"},
	{Group: "apps", Version: "v1", Resource: "daemonsets"},
	{Group: "batch", Version: "v1", Resource: "jobs"},
	{Group: "batch", Version: "v1", Resource: "cronjobs"},
	{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"},
	{Group: "networking.k8s.io", Version: "v1", Resource: "ingresses"},
	{Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"},
	{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"},
	{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"},
	{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"},
}

// objects keeps typed informers in one encoding. It says "synced" once, then answers each line with every object it holds.
func objects(namespace, contentType string) {
	ctx := context.Background()
	c := config(contentType)
	// No other encoding is accepted, so that nothing else can be what is compared.
	c.AcceptContentTypes = contentType
	factory := typed.NewSharedInformerFactoryWithOptions(kubernetes.NewForConfigOrDie(c), 0, typed.WithNamespace(namespace))
	caches := map[string]cache.SharedIndexInformer{}
	for _, resource := range whole {
		informer, err := factory.ForResource(resource)
		must(err)
		caches[resource.Resource] = informer.Informer()
	}
	factory.StartWithContext(ctx)
	factory.WaitForCacheSyncWithContext(ctx)
	answer("synced")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		held := map[string]map[string]any{}
		for name, informer := range caches {
			held[name] = map[string]any{}
			for _, object := range informer.GetStore().List() {
				m, err := meta.Accessor(object)
				must(err)
				held[name][m.GetName()] = object
			}
		}
		answer(held)
	}
}

var encodings = map[string]string{"json": runtime.ContentTypeJSON, "protobuf": runtime.ContentTypeProtobuf}
