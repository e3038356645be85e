// controller-runtime, and the queue of client-go, as contestants: the protocol of controllers in bench/README.md.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
)

// command is one line of input.
type command struct {
	Do       string
	Form     string
	Keys     int
	Selector string
	Work     string
	Workers  int
	Election string
	Events   int
}

type reply map[string]any

func main() {
	answer(reply{"ready": true, "version": version(), "heapBytes": collect()})
	lines := bufio.NewScanner(os.Stdin)
	var op *operator
	for lines.Scan() {
		var c command
		must(json.Unmarshal(lines.Bytes(), &c))
		switch c.Do {
		case "queue":
			answer(measureQueue(c.Form, c.Keys))
		case "run":
			op = startOperator(c)
			answer(reply{"ok": true})
		case "tell":
			answer(op.tell())
		case "expect":
			op.expect(c.Events)
			answer(reply{"ok": true})
		case "stop":
			op.stop()
			answer(reply{"ok": true})
		default:
			answer(reply{"unsupported": c.Do})
		}
	}
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "sigs.k8s.io/controller-runtime" {
				return "controller-runtime " + module.Version
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

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
