package main

import (
	"context"
	"reflect"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/dynamicinformer"
	kubeinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

var configMaps = corev1.SchemeGroupVersion.WithResource("configmaps")

// story is what the handlers of one informer were told.
type story struct {
	mu    sync.Mutex
	lines []string
}

func (s *story) add(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, line)
}

func (s *story) is(lines ...string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Equal(s.lines, lines)
}

// told follows one label of one object, which typed, dynamic and metadata objects all have.
func told(informer cache.SharedIndexInformer) *story {
	s := &story{}
	step := func(object any) string {
		if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = gone.Obj
		}
		return object.(metav1.Object).GetName() + " " + object.(metav1.Object).GetLabels()["step"]
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { s.add("add " + step(object)) },
		UpdateFunc: func(_, object any) { s.add("update " + step(object)) },
		DeleteFunc: func(object any) { s.add("delete " + step(object)) },
	})
	must(err)
	return s
}

// informers of three clients see the same changes of the same objects.
func informers(ctx context.Context, c clients) {
	maps := c.typed.CoreV1().ConfigMaps(namespace)
	label := func(step string) map[string]string { return map[string]string{"of": "informers", "step": step} }
	first := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "first", Labels: label("1")}}
	_, err := maps.Create(ctx, first, metav1.CreateOptions{})
	must(err)

	selected := func(options *metav1.ListOptions) { options.LabelSelector = "of=informers" }
	typed := kubeinformers.NewSharedInformerFactoryWithOptions(c.typed, 0, kubeinformers.WithNamespace(namespace), kubeinformers.WithTweakListOptions(selected))
	untyped := dynamicinformer.NewFilteredDynamicSharedInformerFactory(c.dynamic, 0, namespace, selected)
	partial := metadatainformer.NewFilteredSharedInformerFactory(c.metadata, 0, namespace, selected)
	all := map[string]cache.SharedIndexInformer{
		"typed":    typed.Core().V1().ConfigMaps().Informer(),
		"dynamic":  untyped.ForResource(configMaps).Informer(),
		"metadata": partial.ForResource(configMaps).Informer(),
	}
	stories := map[string]*story{}
	for name, informer := range all {
		stories[name] = told(informer)
		go informer.RunWithContext(ctx)
	}
	for _, name := range []string{"typed", "dynamic", "metadata"} {
		check(name+" informers sync", cache.WaitForCacheSync(ctx.Done(), all[name].HasSynced))
	}
	second := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "second", Labels: label("1")}}
	_, err = maps.Create(ctx, second, metav1.CreateOptions{})
	must(err)
	_, err = maps.Patch(ctx, "first", types.MergePatchType, []byte(`{"metadata":{"labels":{"step":"2"}}}`), metav1.PatchOptions{})
	must(err)
	// To the selector it is gone.
	_, err = maps.Patch(ctx, "second", types.JSONPatchType, []byte(`[{"op":"remove","path":"/metadata/labels/of"}]`), metav1.PatchOptions{})
	must(err)
	must(maps.Delete(ctx, "first", metav1.DeleteOptions{}))
	for _, name := range []string{"typed", "dynamic", "metadata"} {
		until(name+" informers see every change", func() bool {
			return stories[name].is("add first 1", "add second 1", "update first 2", "delete second 1", "delete first 2")
		})
		check(name+" caches are empty in the end", reflect.DeepEqual(all[name].GetStore().ListKeys(), []string{}))
	}
	must(maps.Delete(ctx, "second", metav1.DeleteOptions{}))
}
