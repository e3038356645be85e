// client-go as a contestant: shared informers behind the protocol of bench/README.md.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
)

// start is the first command: what to cache, and how.
type start struct {
	Resource   string
	Selector   string
	Form       string
	Namespaces []string
	Handlers   int
	Read       string
}

// command is any later one.
type command struct {
	Do       string
	Events   int64
	Latency  bool
	What     string
	Times    int
	Argument string
}

type reply map[string]any

func main() {
	answer(reply{"ready": true, "version": "client-go " + version(), "heapBytes": collect()})
	lines := bufio.NewScanner(os.Stdin)
	var first start
	next(lines, &first)
	caches := startCaches(first)
	for {
		var c command
		if !next(lines, &c) {
			return
		}
		switch c.Do {
		case "gc":
			began := time.Now()
			heap := collect()
			answer(reply{"heapBytes": heap, "gcMs": float64(time.Since(began).Microseconds()) / 2000})
		case "expect":
			caches.counters.expect(c.Events, c.Latency)
		case "tell":
			answer(reply{"notifications": caches.counters.notifications.Load()})
		case "read":
			found, ns := caches.read(c)
			answer(reply{"found": found, "ns": ns})
		default:
			answer(reply{"unsupported": c.Do})
		}
	}
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "k8s.io/client-go" {
				return module.Version
			}
		}
	}
	return "unknown"
}

// collect gives the bytes of live objects. The second collection frees what the first one finalized.
func collect() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func cpuUs() int64 {
	var usage syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return usage.Utime.Nano()/1000 + usage.Stime.Nano()/1000
}

// answer writes one line of JSON; every answer carries the CPU time so far.
func answer(value reply) {
	value["cpuUs"] = cpuUs()
	must(json.NewEncoder(os.Stdout).Encode(value))
}

func next(lines *bufio.Scanner, into any) bool {
	if !lines.Scan() {
		return false
	}
	must(json.Unmarshal(lines.Bytes(), into))
	return true
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
