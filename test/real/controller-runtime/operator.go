package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

const (
	finalizer    = "example.com/sites"
	fieldManager = "sites"
)

var siteKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Site"}

// sites is the operator that sites.ts is, too: a Site has `copies` config maps of its own with its message, and one more that
// nobody owns and that a cleanup deletes.
type sites struct {
	client.Client
}

// operator runs until standard input ends. metrics is the address of /metrics.
func operator(metrics string) {
	log.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	manager, err := ctrl.NewManager(config(), ctrl.Options{
		Scheme:  clientgoscheme.Scheme,
		Metrics: metricsserver.Options{BindAddress: metrics},
		Client:  client.Options{Cache: &client.CacheOptions{Unstructured: true}},
	})
	must(err)
	site := &unstructured.Unstructured{}
	site.SetGroupVersionKind(siteKind)
	changes := predicate.Or[client.Object](
		predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{}, predicate.AnnotationChangedPredicate{},
	)
	must(ctrl.NewControllerManagedBy(manager).
		Named("sites").
		For(site, builder.WithPredicates(changes)).
		Owns(&corev1.ConfigMap{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: 4}).
		Complete(&sites{manager.GetClient()}))
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = os.Stdin.Read(make([]byte, 1))
		stop()
	}()
	must(manager.Start(ctx))
}

func (s *sites) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	site := &unstructured.Unstructured{}
	site.SetGroupVersionKind(siteKind)
	if err := s.Get(ctx, request.NamespacedName, site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	outside := configMap(site.GetNamespace(), site.GetName()+"-outside")
	if site.GetDeletionTimestamp() != nil {
		if !controllerutil.ContainsFinalizer(site, finalizer) {
			return ctrl.Result{}, nil
		}
		if err := client.IgnoreNotFound(s.Delete(ctx, outside)); err != nil {
			return ctrl.Result{}, err
		}
		return ctrl.Result{}, client.IgnoreNotFound(s.finalize(ctx, site, controllerutil.RemoveFinalizer))
	}
	if !controllerutil.ContainsFinalizer(site, finalizer) {
		if err := s.finalize(ctx, site, controllerutil.AddFinalizer); err != nil {
			return ctrl.Result{}, err
		}
	}
	message, _, _ := unstructured.NestedString(site.Object, "spec", "message")
	copies, _, _ := unstructured.NestedInt64(site.Object, "spec", "copies")
	if err := s.apply(ctx, outside, message, nil); err != nil {
		return ctrl.Result{}, err
	}
	var wanted []string
	for at := range copies {
		child := configMap(site.GetNamespace(), fmt.Sprintf("%s-%d", site.GetName(), at))
		wanted = append(wanted, child.GetName())
		if err := s.apply(ctx, child, message, site); err != nil {
			return ctrl.Result{}, err
		}
	}
	if err := s.prune(ctx, site, wanted); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, s.status(ctx, site, copies)
}

func (s *sites) finalize(
	ctx context.Context, site *unstructured.Unstructured, change func(client.Object, string) bool,
) error {
	before := client.MergeFromWithOptions(site.DeepCopy(), client.MergeFromWithOptimisticLock{})
	change(site, finalizer)
	return s.Patch(ctx, site, before)
}

func (s *sites) apply(ctx context.Context, object *unstructured.Unstructured, message string, owner client.Object) error {
	object.Object["data"] = map[string]any{"message": message}
	if owner != nil {
		if err := controllerutil.SetControllerReference(owner, object, s.Scheme()); err != nil {
			return err
		}
	}
	return s.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), client.FieldOwner(fieldManager), client.ForceOwnership)
}

func (s *sites) prune(ctx context.Context, site *unstructured.Unstructured, wanted []string) error {
	var children corev1.ConfigMapList
	if err := s.List(ctx, &children, client.InNamespace(site.GetNamespace())); err != nil {
		return err
	}
	for _, child := range children.Items {
		if !metav1.IsControlledBy(&child, site) || slices.Contains(wanted, child.Name) {
			continue
		}
		if err := client.IgnoreNotFound(s.Delete(ctx, &child)); err != nil {
			return err
		}
	}
	return nil
}

func (s *sites) status(ctx context.Context, site *unstructured.Unstructured, copies int64) error {
	before := site.DeepCopy()
	var conditions []metav1.Condition
	found, _, _ := unstructured.NestedSlice(site.Object, "status", "conditions")
	for _, one := range found {
		var condition metav1.Condition
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(one.(map[string]any), &condition); err != nil {
			return err
		}
		conditions = append(conditions, condition)
	}
	meta.SetStatusCondition(&conditions, metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Copied", ObservedGeneration: site.GetGeneration(),
	})
	var list []any
	for _, condition := range conditions {
		one, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&condition)
		if err != nil {
			return err
		}
		list = append(list, one)
	}
	site.Object["status"] = map[string]any{"copies": copies, "conditions": list}
	if equality.Semantic.DeepEqual(before.Object["status"], site.Object["status"]) {
		return nil
	}
	return s.Status().Patch(ctx, site, client.MergeFrom(before))
}

func configMap(namespace, name string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetAPIVersion("v1")
	object.SetKind("ConfigMap")
	object.SetNamespace(namespace)
	object.SetName(name)
	return object
}
