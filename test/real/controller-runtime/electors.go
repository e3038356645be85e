package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// electorCommand is one line of input. "cut" makes every request of a candidate fail until "heal"; "stop" ends it and releases
// the lease, unless it is cut. {"over": identity} is printed when it has ended.
type electorCommand struct {
	Do       string `json:"do"`
	Identity string `json:"identity"`
	// Skew is what its wall clock is off by.
	SkewMs          int64 `json:"skewMs"`
	LeaseDurationMs int64 `json:"leaseDurationMs"`
	RenewDeadlineMs int64 `json:"renewDeadlineMs"`
	RetryPeriodMs   int64 `json:"retryPeriodMs"`
}

type candidate struct {
	stop context.CancelFunc
	cut  *atomic.Bool
}

func electors(namespace, name string) {
	var mutex sync.Mutex
	out := json.NewEncoder(os.Stdout)
	over := func(identity string) {
		mutex.Lock()
		defer mutex.Unlock()
		must(out.Encode(map[string]string{"over": identity}))
	}
	candidates := map[string]candidate{}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var command electorCommand
		must(json.Unmarshal(lines.Bytes(), &command))
		known, ok := candidates[command.Identity]
		if !ok && command.Do != "start" {
			fail(fmt.Errorf("no such candidate: %s", command.Identity))
		}
		switch command.Do {
		case "start":
			candidates[command.Identity] = startElector(namespace, name, command, over)
		case "cut":
			known.cut.Store(true)
		case "heal":
			known.cut.Store(false)
		case "stop":
			known.stop()
		default:
			fail(fmt.Errorf("no such command: %s", command.Do))
		}
	}
}

func startElector(namespace, name string, command electorCommand, over func(identity string)) candidate {
	client, err := coordination.NewForConfig(config())
	must(err)
	cut := &atomic.Bool{}
	ms := func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
	lock := &skewedLock{
		Interface: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: name},
			Client:     client,
			LockConfig: resourcelock.ResourceLockConfig{Identity: command.Identity},
		},
		skew: ms(command.SkewMs),
		cut:  cut,
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		// Run returns when the lease is lost: like our elector this one becomes a candidate again.
		for ctx.Err() == nil {
			elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
				Lock:            lock,
				LeaseDuration:   ms(command.LeaseDurationMs),
				RenewDeadline:   ms(command.RenewDeadlineMs),
				RetryPeriod:     ms(command.RetryPeriodMs),
				ReleaseOnCancel: true,
				Callbacks: leaderelection.LeaderCallbacks{
					OnStartedLeading: func(context.Context) {},
					OnStoppedLeading: func() {},
				},
			})
			must(err)
			elector.Run(ctx)
		}
		over(command.Identity)
	}()
	return candidate{stop: stop, cut: cut}
}

// skewedLock is the lock of a process whose wall clock is wrong: it writes times of its clock and reads all times by it.
type skewedLock struct {
	resourcelock.Interface
	skew time.Duration
	cut  *atomic.Bool
}

var errCut = errors.New("the network is cut")

func (l *skewedLock) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	if l.cut.Load() {
		return nil, nil, errCut
	}
	record, _, err := l.Interface.Get(ctx)
	if err != nil {
		return nil, nil, err
	}
	moved := move(*record, -l.skew)
	raw, err := json.Marshal(moved)
	return &moved, raw, err
}

func (l *skewedLock) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	if l.cut.Load() {
		return errCut
	}
	return l.Interface.Create(ctx, move(record, l.skew))
}

func (l *skewedLock) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	if l.cut.Load() {
		return errCut
	}
	return l.Interface.Update(ctx, move(record, l.skew))
}

func move(record resourcelock.LeaderElectionRecord, by time.Duration) resourcelock.LeaderElectionRecord {
	record.AcquireTime = metav1.NewTime(record.AcquireTime.Add(by))
	record.RenewTime = metav1.NewTime(record.RenewTime.Add(by))
	return record
}
