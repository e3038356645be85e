package main

import (
	"fmt"
	"runtime"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	// It counts for the queues of client-go, too.
	_ "sigs.k8s.io/controller-runtime/pkg/metrics"
)

// measureQueue adds keys, takes them all and is done with them; then it adds keys that are due in an hour. Queues have metrics.
func measureQueue(form string, count int) reply {
	keys := make([]string, count)
	for at := range keys {
		keys[at] = fmt.Sprintf("namespace-%d/object-%06d", at%50, at)
	}
	pass(newQueue(form), keys) // to warm up

	ready := newQueue(form)
	empty := collect()
	began := cpuUs()
	addAll(ready, keys, 0)
	added := cpuUs()
	readyBytes := collect() - empty
	resumed := cpuUs()
	takeAll(ready, count)
	took := cpuUs()
	ready.ShutDown()

	delayed := newQueue(form)
	empty = collect()
	addAll(delayed, keys, time.Hour)
	delayedBytes := collect() - empty
	delayed.ShutDown()
	runtime.KeepAlive(keys)
	return reply{
		"queueUs":      float64(added-began+took-resumed) / float64(count),
		"readyBytes":   float64(readyBytes) / float64(count),
		"delayedBytes": float64(delayedBytes) / float64(count),
	}
}

type queue = workqueue.TypedRateLimitingInterface[string]

func newQueue(form string) queue {
	limiter := workqueue.DefaultTypedControllerRateLimiter[string]()
	if form == "priorityqueue" {
		return priorityqueue.New("bench", func(o *priorityqueue.Opts[string]) { o.RateLimiter = limiter })
	}
	config := workqueue.TypedRateLimitingQueueConfig[string]{Name: "bench"}
	return workqueue.NewTypedRateLimitingQueueWithConfig(limiter, config)
}

func pass(q queue, keys []string) {
	addAll(q, keys, 0)
	takeAll(q, len(keys))
	q.ShutDown()
}

// addAll returns when the queue has the keys: both kinds take some of them over in goroutines of their own.
func addAll(q queue, keys []string, after time.Duration) {
	for _, key := range keys {
		if after > 0 {
			q.AddAfter(key, after)
		} else {
			q.Add(key)
		}
	}
	if after > 0 {
		time.Sleep(500 * time.Millisecond)
		return
	}
	for q.Len() < len(keys) {
		time.Sleep(time.Millisecond)
	}
}

func takeAll(q queue, count int) {
	for range count {
		key, _ := q.Get()
		q.Forget(key)
		q.Done(key)
	}
}
