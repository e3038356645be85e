package main

import (
	"encoding/json"
	"os"
	"sort"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// queueScript is a list of operations on one queue, run on a clock that moves only by "advance".
type queueScript struct {
	// Queue is "workqueue" (client-go) or "priorityqueue" (controller-runtime).
	Queue string    `json:"queue"`
	Steps []queueOp `json:"steps"`
}

type queueOp struct {
	Do       string `json:"do"`
	Key      string `json:"key,omitempty"`
	Ms       int64  `json:"ms,omitempty"`
	Priority int    `json:"priority,omitempty"`
}

// queueResult is what was true after one operation.
type queueResult struct {
	// Given are the keys that getters received, with their time in milliseconds and their priority.
	Given []given `json:"given"`
	// Ended counts getters that were told that the queue is shut down.
	Ended int `json:"ended"`
	Ready int `json:"ready"`
	// Retries is the number of failures of the key of the operation.
	Retries int `json:"retries"`
	// Drained is true once ShutDownWithDrain has returned.
	Drained bool `json:"drained"`
}

type given struct {
	Key      string `json:"key"`
	At       int64  `json:"at"`
	Priority int    `json:"priority"`
}

// queues reads scripts as one JSON array and prints an array with the results of each operation of each script.
//
// The queues wait and read the time through the standard library; synctest gives them a clock that stands still, and says when
// all their goroutines have nothing left to do. It needs a testing.T, hence the detour through testing.Main.
func queues() {
	var scripts []queueScript
	must(json.NewDecoder(os.Stdin).Decode(&scripts))
	results := make([][]queueResult, len(scripts))
	stdout := os.Stdout
	os.Stdout = os.Stderr // testing prints PASS
	all := func(t *testing.T) {
		for at, script := range scripts {
			synctest.Test(t, func(*testing.T) { results[at] = runQueueScript(script) })
		}
		must(json.NewEncoder(stdout).Encode(results))
	}
	testing.Main(func(_, _ string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "queues", F: all}}, nil, nil)
}

func runQueueScript(script queueScript) []queueResult {
	start := time.Now()
	var queue workqueue.TypedRateLimitingInterface[string]
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](5*time.Millisecond, 1000*time.Second)
	var priorities priorityqueue.PriorityQueue[string]
	if script.Queue == "priorityqueue" {
		priorities = priorityqueue.New("queue", func(o *priorityqueue.Opts[string]) { o.RateLimiter = limiter })
		queue = priorities
	} else {
		queue = workqueue.NewTypedRateLimitingQueue(limiter)
	}
	gets := make(chan given, 1000)
	ends := make(chan struct{}, 1000)
	get := func() {
		var one given
		var over bool
		if priorities != nil {
			one.Key, one.Priority, over = priorities.GetWithPriority()
		} else {
			one.Key, over = queue.Get()
		}
		if over {
			ends <- struct{}{}
			return
		}
		one.At = time.Since(start).Milliseconds()
		gets <- one
	}
	drained := make(chan struct{})
	isShut := false
	results := make([]queueResult, 0, len(script.Steps))
	var running []string
	for _, op := range script.Steps {
		switch op.Do {
		case "add":
			if priorities != nil {
				priorities.AddWithOpts(priorityqueue.AddOpts{Priority: &op.Priority}, op.Key)
			} else {
				queue.Add(op.Key)
			}
		case "addAfter":
			after := time.Duration(op.Ms) * time.Millisecond
			if priorities != nil {
				priorities.AddWithOpts(priorityqueue.AddOpts{After: after, Priority: &op.Priority}, op.Key)
			} else {
				queue.AddAfter(op.Key, after)
			}
		case "addRateLimited":
			if priorities != nil {
				priorities.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: &op.Priority}, op.Key)
			} else {
				queue.AddRateLimited(op.Key)
			}
		case "get":
			go get()
		case "done":
			queue.Done(op.Key)
		case "forget":
			queue.Forget(op.Key)
		case "advance":
			time.Sleep(time.Duration(op.Ms) * time.Millisecond)
		case "shutdown":
			isShut = true
			queue.ShutDown()
		case "drain":
			isShut = true
			go func() { queue.ShutDownWithDrain(); close(drained) }()
		}
		synctest.Wait()
		result := queueResult{Given: []given{}, Ready: queue.Len(), Retries: queue.NumRequeues(op.Key)}
		for range len(gets) {
			one := <-gets
			running = append(running, one.Key)
			result.Given = append(result.Given, one)
		}
		// Getters that received at the same moment have no order among themselves.
		sort.SliceStable(result.Given, func(a, b int) bool {
			x, y := result.Given[a], result.Given[b]
			return x.At < y.At || (x.At == y.At && x.Key < y.Key)
		})
		for range len(ends) {
			<-ends
			result.Ended++
		}
		select {
		case <-drained:
			result.Drained = true
		default:
		}
		results = append(results, result)
	}
	// All goroutines of the queue must end with the script.
	if !isShut {
		queue.ShutDown()
	}
	for _, key := range running {
		queue.Done(key)
	}
	time.Sleep(time.Minute)
	return results
}
