package main

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	metav1apply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// operator is one controller of widgets. It does nothing, or applies a config map for each widget.
type operator struct {
	client.Client
	isTyped bool
	applies bool
	runs    atomic.Int64
	warm    atomic.Bool
	cancel  context.CancelFunc
	ended   chan struct{}

	mutex       sync.Mutex
	elected     moment
	first       moment
	seen        map[string]time.Time
	left        int
	latenciesUs []int64
}

// moment is a time and the CPU that the process had used.
type moment struct {
	at    time.Time
	cpuUs int64
}

func now() moment { return moment{time.Now(), cpuUs()} }

func startOperator(c command) *operator {
	log.SetLogger(logr.Discard())
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must(err)
	config.QPS = -1
	selector, err := labels.Parse(c.Selector)
	must(err)
	o := &operator{isTyped: c.Form == "typed", applies: c.Work == "apply", ended: make(chan struct{})}
	options := ctrl.Options{
		Scheme:  scheme(),
		Metrics: metricsserver.Options{BindAddress: "0"},
		Cache:   cache.Options{ByObject: map[client.Object]cache.ByObject{o.empty(): {Label: selector}}},
		Client:  client.Options{Cache: &client.CacheOptions{Unstructured: true}},
	}
	if c.Election != "" {
		options.LeaderElection = true
		options.LeaderElectionReleaseOnCancel = true
		options.LeaderElectionResourceLockInterface = newLock(config, c.Election, o.noteLease)
	}
	manager, err := ctrl.NewManager(config, options)
	must(err)
	o.Client = manager.GetClient()
	warmup := c.Election != ""
	b := ctrl.NewControllerManagedBy(manager).
		Named("bench").
		For(o.empty(), builder.WithPredicates(o.noting())).
		WithOptions(controller.Options{MaxConcurrentReconciles: c.Workers, EnableWarmup: &warmup})
	if o.applies {
		b = b.Owns(&corev1.ConfigMap{})
	}
	must(b.Complete(o))
	var ctx context.Context
	ctx, o.cancel = context.WithCancel(context.Background())
	go func() {
		// The controller's own informer exists from its start on; it is the one that must have synced.
		for ctx.Err() == nil && !o.warm.Load() {
			time.Sleep(20 * time.Millisecond)
			informer, err := manager.GetCache().GetInformer(ctx, o.empty(), cache.BlockUntilSynced(true))
			o.warm.Store(err == nil && informer.HasSynced())
		}
	}()
	go func() {
		must(manager.Start(ctx))
		close(o.ended)
	}()
	return o
}

func (o *operator) empty() client.Object {
	if o.isTyped {
		return &Widget{}
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(widgets.WithKind("Widget"))
	return object
}

func (o *operator) noteLease() {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.elected.at.IsZero() {
		o.elected = now()
	}
}

// noting remembers when the handler got a change.
func (o *operator) noting() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		o.mutex.Lock()
		defer o.mutex.Unlock()
		if o.left > 0 {
			o.seen[client.ObjectKeyFromObject(e.ObjectNew).String()] = time.Now()
		}
		return true
	}}
}

func (o *operator) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	o.note(request.String())
	object := o.empty()
	if err := o.Get(ctx, request.NamespacedName, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !o.applies {
		return ctrl.Result{}, nil
	}
	child := corev1apply.ConfigMap(request.Name, request.Namespace).
		WithLabels(map[string]string{"bench-child": "yes"}).
		WithOwnerReferences(metav1apply.OwnerReference().
			WithAPIVersion(widgets.String()).WithKind("Widget").WithName(object.GetName()).WithUID(object.GetUID()).
			WithController(true).WithBlockOwnerDeletion(true)).
		WithData(map[string]string{"of": string(object.GetUID()), "message": "made by the bench"})
	return ctrl.Result{}, o.Apply(ctx, child, client.FieldOwner("bench"), client.ForceOwnership)
}

func (o *operator) note(key string) {
	if o.runs.Add(1) == 1 {
		o.mutex.Lock()
		o.first = now()
		o.mutex.Unlock()
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	at, ok := o.seen[key]
	if o.left == 0 || !ok {
		return
	}
	delete(o.seen, key)
	o.latenciesUs = append(o.latenciesUs, time.Since(at).Microseconds())
	o.left--
	if o.left == 0 {
		answer(reply{"done": true, "latenciesUs": o.latenciesUs})
	}
}

// expect answers again after this many runs that follow a change.
func (o *operator) expect(events int) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.seen, o.left, o.latenciesUs = map[string]time.Time{}, events, nil
}

func (o *operator) tell() reply {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	r := reply{"runs": o.runs.Load(), "warm": o.warm.Load()}
	if !o.first.at.IsZero() && !o.elected.at.IsZero() {
		r["firstRunMs"] = float64(o.first.at.Sub(o.elected.at).Microseconds()) / 1000
		r["firstRunCpuMs"] = float64(o.first.cpuUs-o.elected.cpuUs) / 1000
	}
	return r
}

// stop ends the operator; it gives its lease back.
func (o *operator) stop() {
	o.cancel()
	<-o.ended
}
