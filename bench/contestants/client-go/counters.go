package main

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/tools/cache"
)

// at is the annotation with the time of a write.
const at = "bench.example.com/at"

// counters is the handler of all informers: it counts, and reads as much of an object as it was asked to.
type counters struct {
	readsPhase    bool
	read          atomic.Int64
	notifications atomic.Int64
	left          atomic.Int64
	withLatency   atomic.Bool
	mutex         sync.Mutex
	latenciesUs   []int64
}

// expect answers at once, and again after this many notifications.
func (c *counters) expect(events int64, withLatency bool) {
	c.mutex.Lock()
	c.latenciesUs = []int64{}
	c.mutex.Unlock()
	c.withLatency.Store(withLatency)
	c.left.Store(events)
	answer(reply{"ok": true})
}

func (c *counters) OnAdd(object any, _ bool) { c.handle(object) }
func (c *counters) OnUpdate(_, object any)   { c.handle(object) }
func (c *counters) OnDelete(object any)      { c.handle(object) }

func (c *counters) handle(object any) {
	c.notifications.Add(1)
	if c.readsPhase {
		c.read.Add(int64(len(phaseOf(object))))
	} else {
		key, _ := cache.DeletionHandlingMetaNamespaceKeyFunc(object)
		c.read.Add(int64(len(key)))
	}
	if c.left.Load() <= 0 {
		return
	}
	if c.withLatency.Load() {
		written, _ := strconv.ParseInt(annotationOf(object, at), 10, 64)
		c.mutex.Lock()
		c.latenciesUs = append(c.latenciesUs, time.Now().UnixMicro()-written)
		c.mutex.Unlock()
	}
	if c.left.Add(-1) == 0 {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		answer(reply{"done": true, "read": c.read.Load(), "latenciesUs": c.latenciesUs})
	}
}
