package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// notedLock is a lease that says when it was got. The manager closes its channel Elected only after it has started the
// controllers, which is too late.
type notedLock struct {
	resourcelock.Interface
	got func()
}

// newLock gives the lock of a lease, "namespace/name".
func newLock(config *rest.Config, lease string, got func()) resourcelock.Interface {
	client, err := coordination.NewForConfig(config)
	must(err)
	namespace, name, _ := strings.Cut(lease, "/")
	return &notedLock{got: got, Interface: &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: name},
		Client:     client,
		LockConfig: resourcelock.ResourceLockConfig{Identity: fmt.Sprintf("bench-%d", os.Getpid())},
	}}
}

func (l *notedLock) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return l.note(record, l.Interface.Create(ctx, record))
}

func (l *notedLock) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return l.note(record, l.Interface.Update(ctx, record))
}

func (l *notedLock) note(record resourcelock.LeaderElectionRecord, err error) error {
	// A lease that is given back has no holder.
	if err == nil && record.HolderIdentity == l.Identity() {
		l.got()
	}
	return err
}
