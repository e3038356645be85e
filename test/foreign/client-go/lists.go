package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"
	watchtools "k8s.io/client-go/tools/watch"
)

// lists: pages, watches from a version, deletes of many.
func lists(ctx context.Context, c clients) {
	maps := c.typed.CoreV1().ConfigMaps(namespace)
	for n := range 25 {
		made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("page-%02d", n), Labels: map[string]string{"of": "pages"}}}
		_, err := maps.Create(ctx, made, metav1.CreateOptions{})
		must(err)
	}
	options := metav1.ListOptions{LabelSelector: "of=pages"}
	pages, seen := 0, 0
	reader := pager.New(pager.SimplePageFunc(func(options metav1.ListOptions) (runtime.Object, error) {
		pages++
		return maps.List(ctx, options)
	}))
	reader.PageSize = 10
	err := reader.EachListItem(ctx, options, func(runtime.Object) error { seen++; return nil })
	check("a list comes in pages", err == nil && pages == 3 && seen == 25, err, pages, seen)

	list, err := maps.List(ctx, options)
	must(err)
	source := &cache.ListWatch{WatchFuncWithContext: func(ctx context.Context, more metav1.ListOptions) (watch.Interface, error) {
		more.LabelSelector = options.LabelSelector
		return maps.Watch(ctx, more)
	}}
	follower, err := watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion, source)
	must(err)
	defer follower.Stop()
	must(maps.DeleteCollection(ctx, metav1.DeleteOptions{}, options))
	deleted := 0
	for event := range follower.ResultChan() {
		if event.Type == watch.Deleted {
			deleted++
		}
		if deleted == 25 {
			break
		}
	}
	check("a watch from the version of a list sees every later delete", deleted == 25, deleted)
	left, err := maps.List(ctx, options)
	check("a collection is deleted", err == nil && len(left.Items) == 0, err)
}
