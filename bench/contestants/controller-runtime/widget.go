package main

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

var widgets = schema.GroupVersion{Group: "bench.example.com", Version: "v1"}

// Widget is the custom resource of the bench: a pod's content under another name.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              corev1.PodSpec   `json:"spec,omitempty"`
	Status            corev1.PodStatus `json:"status,omitempty"`
}

type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

func (w *Widget) deepCopyInto(copied *Widget) {
	copied.TypeMeta = w.TypeMeta
	w.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	w.Spec.DeepCopyInto(&copied.Spec)
	w.Status.DeepCopyInto(&copied.Status)
}

func (w *Widget) DeepCopyObject() runtime.Object {
	copied := &Widget{}
	w.deepCopyInto(copied)
	return copied
}

func (l *WidgetList) DeepCopyObject() runtime.Object {
	copied := &WidgetList{TypeMeta: l.TypeMeta, Items: make([]Widget, len(l.Items))}
	l.ListMeta.DeepCopyInto(&copied.ListMeta)
	for at := range l.Items {
		l.Items[at].deepCopyInto(&copied.Items[at])
	}
	return copied
}

func scheme() *runtime.Scheme {
	s := runtime.NewScheme()
	must(clientgoscheme.AddToScheme(s))
	s.AddKnownTypes(widgets, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(s, widgets)
	return s
}
