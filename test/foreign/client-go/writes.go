package main

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	applyv1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/util/retry"
)

// writes: apply with its conflicts, updates that compete, status and scale.
func writes(ctx context.Context, c clients) {
	maps := c.typed.CoreV1().ConfigMaps(namespace)
	apply := func(manager, value string, force bool) (*corev1.ConfigMap, error) {
		config := applyv1.ConfigMap("applied", namespace).WithData(map[string]string{"k": value, manager: "own"})
		return maps.Apply(ctx, config, metav1.ApplyOptions{FieldManager: manager, Force: force})
	}
	one, err := apply("one", "1", false)
	check("an apply creates", err == nil && one.Data["k"] == "1", err)
	again, err := apply("one", "1", false)
	check("the same apply changes nothing", err == nil && again.ResourceVersion == one.ResourceVersion, err)
	_, err = apply("two", "2", false)
	check("an apply of a field of another manager conflicts", errors.IsConflict(err), err)
	two, err := apply("two", "2", true)
	check("a forced apply takes the field over", err == nil && two.Data["k"] == "2" && two.Data["one"] == "own", err)
	config, err := applyv1.ExtractConfigMap(two, "two")
	check("the fields of a manager can be extracted", err == nil && len(config.Data) == 2, err)

	counter := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "counter"}, Data: map[string]string{"n": "0"}}
	_, err = maps.Create(ctx, counter, metav1.CreateOptions{})
	must(err)
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			must(retry.OnError(retry.DefaultBackoff, func(error) bool { return true }, func() error { return increment(ctx, c) }))
		})
	}
	work.Wait()
	counter, err = maps.Get(ctx, "counter", metav1.GetOptions{})
	check("of updates that compete none is lost", err == nil && counter.Data["n"] == "8", err, counter.Data)

	workloads(ctx, c)
}

func increment(ctx context.Context, c clients) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		maps := c.typed.CoreV1().ConfigMaps(namespace)
		counter, err := maps.Get(ctx, "counter", metav1.GetOptions{})
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(counter.Data["n"])
		must(err)
		counter.Data["n"] = strconv.Itoa(n + 1)
		_, err = maps.Update(ctx, counter, metav1.UpdateOptions{})
		return err
	})
}

func workloads(ctx context.Context, c clients) {
	deployments := c.typed.AppsV1().Deployments(namespace)
	labels := map[string]string{"app": "x"}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "x"}}}}
	made, err := deployments.Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template},
	}, metav1.CreateOptions{})
	check("defaults of a deployment are filled in", err == nil && *made.Spec.Replicas == 1 && made.Spec.Strategy.Type == appsv1.RollingUpdateDeploymentStrategyType, err)
	made.Status.Replicas, made.Spec.Paused = 3, true
	updated, err := deployments.UpdateStatus(ctx, made, metav1.UpdateOptions{})
	check("a write of the status changes nothing else", err == nil && updated.Status.Replicas == 3 && !updated.Spec.Paused && updated.Generation == 1, err)
	_, err = deployments.UpdateScale(ctx, "web", &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace}, Spec: autoscalingv1.ScaleSpec{Replicas: 5}}, metav1.UpdateOptions{})
	must(err)
	scaled, err := deployments.Get(ctx, "web", metav1.GetOptions{})
	check("a write of the scale changes the replicas", err == nil && *scaled.Spec.Replicas == 5 && scaled.Generation == 2, err)
	patch := []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"c","env":[{"name":"A","value":"1"}]},{"name":"d","image":"y"}]}}}}`)
	merged, err := deployments.Patch(ctx, "web", types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	check("a strategic patch merges lists by their keys", err == nil && len(merged.Spec.Template.Spec.Containers) == 2, err)
	_, err = deployments.Update(ctx, made, metav1.UpdateOptions{})
	check("an update of an old version conflicts", errors.IsConflict(err), err)
	merged.Spec.Selector.MatchLabels = map[string]string{"app": "y"}
	_, err = deployments.Update(ctx, merged, metav1.UpdateOptions{})
	check("an immutable field is refused", errors.IsInvalid(err), err)
	must(deployments.Delete(ctx, "web", metav1.DeleteOptions{}))
}

var gadgets = schema.GroupVersionResource{Group: "go.example.com", Version: "v1", Resource: "gadgets"}

// customResources: a definition, its objects, their status and finalizers.
func customResources(ctx context.Context, c clients) {
	definitions := c.dynamic.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	text := map[string]any{"type": "object", "properties": map[string]any{
		"spec":   map[string]any{"type": "object", "properties": map[string]any{"size": map[string]any{"type": "integer", "minimum": int64(1), "default": int64(3)}}},
		"status": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
	}}
	version := map[string]any{"name": "v1", "served": true, "storage": true, "subresources": map[string]any{"status": map[string]any{}}, "schema": map[string]any{"openAPIV3Schema": text}}
	_, err := definitions.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "gadgets.go.example.com"},
		"spec": map[string]any{"group": "go.example.com", "scope": "Namespaced", "names": map[string]any{"kind": "Gadget", "plural": "gadgets"}, "versions": []any{version}},
	}}, metav1.CreateOptions{})
	must(err)
	until("a definition is discovered", func() bool {
		list, err := c.typed.Discovery().ServerResourcesForGroupVersion("go.example.com/v1")
		return err == nil && len(list.APIResources) == 2
	})
	objects := c.dynamic.Resource(gadgets).Namespace(namespace)
	gadget := func(spec map[string]any) *unstructured.Unstructured {
		metadata := map[string]any{"name": "one", "finalizers": []any{"go.example.com/clean"}}
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "go.example.com/v1", "kind": "Gadget", "metadata": metadata, "spec": spec}}
	}
	_, err = objects.Create(ctx, gadget(map[string]any{"size": int64(0)}), metav1.CreateOptions{})
	check("an object against its schema is refused", errors.IsInvalid(err), err)
	made, err := objects.Create(ctx, gadget(map[string]any{}), metav1.CreateOptions{})
	must(err)
	size, _, _ := unstructured.NestedInt64(made.Object, "spec", "size")
	check("defaults of the schema are filled in", size == 3, size)
	must(unstructured.SetNestedField(made.Object, "Ready", "status", "phase"))
	written, err := objects.UpdateStatus(ctx, made, metav1.UpdateOptions{})
	check("the status of a custom resource is written", err == nil && written.GetGeneration() == 1, err)
	must(objects.Delete(ctx, "one", metav1.DeleteOptions{}))
	held, err := objects.Get(ctx, "one", metav1.GetOptions{})
	check("a finalizer keeps a deleted object", err == nil && held.GetDeletionTimestamp() != nil, err)
	_, err = objects.Patch(ctx, "one", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	must(err)
	_, err = objects.Get(ctx, "one", metav1.GetOptions{})
	check("without it the object goes", errors.IsNotFound(err), fmt.Sprint(err))
	must(definitions.Delete(ctx, "gadgets.go.example.com", metav1.DeleteOptions{}))
}
