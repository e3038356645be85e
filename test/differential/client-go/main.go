// Hosts client-go informers for the differential test: commands come as JSON lines, what the informers say goes out as JSON lines.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type command struct {
	Do        string `json:"do"`
	ID        string `json:"id"`
	URL       string `json:"url"`
	CA        string `json:"ca"`
	Token     string `json:"token"`
	TokenFile string `json:"tokenFile"`
	Group     string `json:"group"`
	Version   string `json:"version"`
	Resource  string `json:"resource"`
	// typed or dynamic
	Mode          string `json:"mode"`
	Namespace     string `json:"namespace"`
	LabelSelector string `json:"labelSelector"`
	WatchList     bool   `json:"watchList"`
	ResyncMs      int    `json:"resyncMs"`
	// HTTP/1.1 only
	HTTP1 bool `json:"http1"`
	// The handler panics when it hears of this key.
	PanicOn string `json:"panicOn"`
	// The transform fails on this key.
	RefuseOn string `json:"refuseOn"`
	// A second handler, which does not return between the commands hang and release.
	Hanging bool `json:"hanging"`
}

type notice struct {
	ID      string            `json:"id"`
	Type    string            `json:"type"`
	Key     string            `json:"key"`
	RV      string            `json:"rv"`
	OldRV   string            `json:"oldRv,omitempty"`
	UID     string            `json:"uid"`
	Initial bool              `json:"initial,omitempty"`
	Unknown bool              `json:"unknown,omitempty"`
	Text    string            `json:"text,omitempty"`
	Objects []json.RawMessage `json:"objects,omitempty"`
}

type host struct {
	mu        sync.Mutex
	out       *bufio.Writer
	informers map[string]*running
}

type running struct {
	informer cache.SharedIndexInformer
	stop     context.CancelFunc
	done     chan struct{}
	// Locked while the second handler hangs.
	gate sync.Mutex
}

func main() {
	h := &host{out: bufio.NewWriter(os.Stdout), informers: map[string]*running{}}
	h.say(notice{Type: "ready", Text: clientGoVersion()})
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 16<<20)
	for in.Scan() {
		var c command
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			h.say(notice{Type: "failed", Text: err.Error()})
			continue
		}
		var err error
		switch c.Do {
		case "start":
			err = h.start(c)
		case "dump":
			err = h.dump(c.ID)
		case "stop":
			h.stop(c.ID)
		case "hang":
			h.informers[c.ID].gate.Lock()
		case "release":
			h.informers[c.ID].gate.Unlock()
		default:
			err = fmt.Errorf("no such command: %q", c.Do)
		}
		if err != nil {
			h.say(notice{ID: c.ID, Type: "failed", Text: err.Error()})
		}
	}
}

func clientGoVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "k8s.io/client-go" {
				return module.Version
			}
		}
	}
	return "unknown"
}

func (h *host) say(n notice) {
	line, err := json.Marshal(n)
	if err != nil {
		panic(err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.out.Write(line)
	h.out.WriteByte('\n')
	h.out.Flush()
}

func (h *host) start(c command) error {
	config := &rest.Config{Host: c.URL, BearerToken: c.Token, BearerTokenFile: c.TokenFile, UserAgent: "client-go/" + c.ID}
	config.TLSClientConfig.CAData = []byte(c.CA)
	if c.HTTP1 {
		config.TLSClientConfig.NextProtos = []string{"http/1.1"}
	}
	informer, err := newInformer(config, c)
	if err != nil {
		return err
	}
	if c.RefuseOn != "" {
		if err := informer.SetTransform(refusing(c.RefuseOn)); err != nil {
			return err
		}
	}
	registration, err := informer.AddEventHandler(h.handler(c))
	if err != nil {
		return err
	}
	_ = informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		h.say(notice{ID: c.ID, Type: "error", Text: err.Error()})
	})
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{informer: informer, stop: cancel, done: make(chan struct{})}
	h.informers[c.ID] = r
	if c.Hanging {
		pass := func() {
			r.gate.Lock()
			r.gate.Unlock()
		}
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { pass() },
			UpdateFunc: func(any, any) { pass() },
			DeleteFunc: func(any) { pass() },
		}); err != nil {
			return err
		}
	}
	go func() {
		informer.RunWithContext(ctx)
		close(r.done)
	}()
	go func() {
		if cache.WaitForCacheSync(ctx.Done(), registration.HasSynced) {
			h.say(notice{ID: c.ID, Type: "synced"})
		}
	}()
	return nil
}

func refusing(key string) cache.TransformFunc {
	return func(object any) (any, error) {
		if k, _ := cache.MetaNamespaceKeyFunc(object); k == key {
			return nil, fmt.Errorf("a transform fails on %s", key)
		}
		return object, nil
	}
}

func newInformer(config *rest.Config, c command) (cache.SharedIndexInformer, error) {
	lw, example, err := source(config, c)
	if err != nil {
		return nil, err
	}
	resync := time.Duration(c.ResyncMs) * time.Millisecond
	if !c.WatchList {
		return cache.NewSharedIndexInformer(&plain{ListWatch: *lw}, example, resync, cache.Indexers{}), nil
	}
	return cache.NewSharedIndexInformer(lw, example, resync, cache.Indexers{}), nil
}

func source(config *rest.Config, c command) (*cache.ListWatch, runtime.Object, error) {
	tweak := func(o *metav1.ListOptions) { o.LabelSelector = c.LabelSelector }
	if c.Mode != "dynamic" {
		example, err := typed(c.Resource)
		if err != nil {
			return nil, nil, err
		}
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return nil, nil, err
		}
		return cache.NewFilteredListWatchFromClient(client.CoreV1().RESTClient(), c.Resource, c.Namespace, tweak), example, nil
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, nil, err
	}
	resource := client.Resource(schema.GroupVersionResource{Group: c.Group, Version: c.Version, Resource: c.Resource})
	objects := resource.Namespace(c.Namespace)
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			tweak(&o)
			return objects.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			tweak(&o)
			return objects.Watch(ctx, o)
		},
	}, &unstructured.Unstructured{}, nil
}

// A source that says it cannot do streaming lists.
type plain struct{ cache.ListWatch }

func (*plain) IsWatchListSemanticsUnSupported() bool { return true }

func typed(resource string) (runtime.Object, error) {
	switch resource {
	case "configmaps":
		return &corev1.ConfigMap{}, nil
	case "pods":
		return &corev1.Pod{}, nil
	case "secrets":
		return &corev1.Secret{}, nil
	}
	return nil, fmt.Errorf("no typed informer for %q", resource)
}

func (h *host) handler(c command) cache.ResourceEventHandler {
	say := func(n notice) {
		n.ID = c.ID
		h.say(n)
		if c.PanicOn != "" && n.Key == c.PanicOn {
			panic("a handler fails on " + n.Key)
		}
	}
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(object any, initial bool) {
			key, m := about(object)
			say(notice{Type: "add", Key: key, RV: m.GetResourceVersion(), UID: string(m.GetUID()), Initial: initial})
		},
		UpdateFunc: func(old, object any) {
			key, m := about(object)
			_, before := about(old)
			say(notice{Type: "update", Key: key, RV: m.GetResourceVersion(), OldRV: before.GetResourceVersion(), UID: string(m.GetUID())})
		},
		DeleteFunc: func(object any) {
			if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
				n := notice{Type: "delete", Key: gone.Key, Unknown: true}
				if m, err := meta.Accessor(gone.Obj); err == nil {
					n.RV, n.UID = m.GetResourceVersion(), string(m.GetUID())
				}
				say(n)
				return
			}
			key, m := about(object)
			say(notice{Type: "delete", Key: key, RV: m.GetResourceVersion(), UID: string(m.GetUID())})
		},
	}
}

func about(object any) (string, metav1.Object) {
	key, err := cache.MetaNamespaceKeyFunc(object)
	if err != nil {
		panic(err)
	}
	m, err := meta.Accessor(object)
	if err != nil {
		panic(err)
	}
	return key, m
}

func (h *host) dump(id string) error {
	r, ok := h.informers[id]
	if !ok {
		return fmt.Errorf("no informer %q", id)
	}
	objects := []json.RawMessage{}
	for _, object := range r.informer.GetStore().List() {
		text, err := json.Marshal(object)
		if err != nil {
			return err
		}
		objects = append(objects, text)
	}
	h.say(notice{ID: id, Type: "dump", Objects: objects, RV: r.informer.LastSyncResourceVersion()})
	return nil
}

func (h *host) stop(id string) {
	if r, ok := h.informers[id]; ok {
		r.stop()
		delete(h.informers, id)
		go func() {
			<-r.done
			h.say(notice{ID: id, Type: "stopped"})
		}()
		return
	}
	h.say(notice{ID: id, Type: "stopped"})
}
