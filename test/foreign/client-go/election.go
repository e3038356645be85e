package main

import (
	"context"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	typedv1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
)

// election: two candidates for one Lease; the second takes over when the first gives it back.
func election(ctx context.Context, c clients) {
	var leading atomic.Int32
	candidate := func(ctx context.Context, id string) <-chan struct{} {
		started := make(chan struct{})
		elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: &resourcelock.LeaseLock{
				LeaseMeta:  metav1.ObjectMeta{Name: "election", Namespace: namespace},
				Client:     c.typed.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: id},
			},
			ReleaseOnCancel: true,
			LeaseDuration:   15 * time.Second,
			RenewDeadline:   10 * time.Second,
			RetryPeriod:     200 * time.Millisecond,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { leading.Add(1); close(started) },
				OnStoppedLeading: func() { leading.Add(-1) },
			},
		})
		must(err)
		go elector.Run(ctx)
		return started
	}
	holder := func() string {
		lease, err := c.typed.CoordinationV1().Leases(namespace).Get(ctx, "election", metav1.GetOptions{})
		if err != nil || lease.Spec.HolderIdentity == nil {
			return ""
		}
		return *lease.Spec.HolderIdentity
	}
	first, stopFirst := context.WithCancel(ctx)
	defer stopFirst()
	<-candidate(first, "first")
	check("a candidate becomes the leader", holder() == "first", holder())
	second, stopSecond := context.WithCancel(ctx)
	defer stopSecond()
	taken := candidate(second, "second")
	time.Sleep(time.Second)
	check("there is one leader at a time", leading.Load() == 1, leading.Load())
	stopFirst()
	select {
	case <-taken:
	case <-time.After(30 * time.Second):
	}
	check("the next one takes over", holder() == "second", holder())
	lease, err := c.typed.CoordinationV1().Leases(namespace).Get(ctx, "election", metav1.GetOptions{})
	check("the transition is counted", err == nil && lease.Spec.LeaseTransitions != nil && *lease.Spec.LeaseTransitions >= 1, err)
}

// events: a recorder posts them and counts repeated ones.
func events(ctx context.Context, c clients) {
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typedv1.EventSinkImpl{Interface: c.typed.CoreV1().Events(namespace)})
	about, err := c.typed.CoreV1().ConfigMaps(namespace).Get(ctx, "applied", metav1.GetOptions{})
	must(err)
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "foreign"})
	for range 3 {
		recorder.Event(about, corev1.EventTypeNormal, "Seen", "it was seen")
	}
	until("a repeated event is counted", func() bool {
		list, err := c.typed.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "reason=Seen"})
		return err == nil && len(list.Items) == 1 && list.Items[0].Count == 3
	})
}
