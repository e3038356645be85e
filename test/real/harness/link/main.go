// A bad network in front of a good server.
//
// Two tunnel devices, one in this network namespace, one in a namespace of our own, and every packet between them goes
// through this program, which loses, delays and reorders it as told. A relay in the far namespace hands connections on
// to the target on loopback. Everything is gone when the process is.
//
//	link -target 127.0.0.1:6443
//
// prints the address to connect to, then reads settings as JSON lines on stdin until it closes. Each is answered with
// how many packets were lost under the settings before it.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// settings of the link, for both directions alike except for cuts.
type settings struct {
	// Loss is the part of packets that vanish, 0 to 1.
	Loss float64 `json:"loss"`
	// DelayMs and JitterMs hold every packet back; with jitter packets overtake each other.
	DelayMs  float64 `json:"delayMs"`
	JitterMs float64 `json:"jitterMs"`
	// Cut is "", "both", "toServer" or "toClient".
	Cut string `json:"cut"`
}

var current atomic.Pointer[settings]
var lost atomic.Int64

func main() {
	target := flag.String("target", "", "host:port that connections are handed on to")
	flag.Parse()
	current.Store(&settings{})

	// A /30 of the range set aside for testing networks; the pid keeps several links apart.
	pid := os.Getpid()
	network := fmt.Sprintf("198.18.%d.", (pid>>6)&255)
	first := (pid & 63) << 2
	near, far := fmt.Sprintf("%s%d", network, first+1), fmt.Sprintf("%s%d", network, first+2)

	nearDevice := openTunnel("near", near)
	var farDevice *os.File
	var listener net.Listener
	inNamespaceOfItsOwn(func() {
		run("ip", "link", "set", "lo", "up")
		farDevice = openTunnel("far", far)
		var err error
		if listener, err = net.Listen("tcp4", far+":0"); err != nil {
			log.Fatal(err)
		}
	})

	go carry(nearDevice, farDevice, "toServer")
	go carry(farDevice, nearDevice, "toClient")
	go relay(listener, *target)

	answer(map[string]string{"address": listener.Addr().String()})
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		next := settings{}
		if err := json.Unmarshal(lines.Bytes(), &next); err != nil {
			log.Fatal(err)
		}
		current.Store(&next)
		answer(map[string]int64{"lost": lost.Swap(0)})
	}
}

func answer(value any) {
	text, _ := json.Marshal(value)
	fmt.Println(string(text))
}

// inNamespaceOfItsOwn runs work on a thread that has left our network. Sockets made there stay there.
func inNamespaceOfItsOwn(work func()) {
	done := make(chan struct{})
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if err := syscall.Unshare(syscall.CLONE_NEWNET); err != nil {
			log.Fatal("cannot make a network namespace: ", err)
		}
		work()
		close(done)
	}()
	<-done
}

func openTunnel(kind, address string) *os.File {
	device, err := syscall.Open("/dev/net/tun", syscall.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		log.Fatal("cannot open a tunnel: ", err)
	}
	var request struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}
	copy(request.name[:], fmt.Sprintf("%s%d", kind, os.Getpid()))
	request.flags = syscall.IFF_TUN | syscall.IFF_NO_PI
	if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, uintptr(device), syscall.TUNSETIFF, uintptr(unsafe.Pointer(&request))); failed != 0 {
		log.Fatal("cannot set up a tunnel: ", failed)
	}
	name := string(request.name[:len(fmt.Sprintf("%s%d", kind, os.Getpid()))])
	run("ip", "address", "add", address+"/30", "dev", name)
	run("ip", "link", "set", name, "up", "mtu", "1400")
	return os.NewFile(uintptr(device), name)
}

func run(name string, args ...string) {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		log.Fatalf("%s %v: %s", name, args, out)
	}
}

func carry(from, to *os.File, direction string) {
	for {
		packet := make([]byte, 2048)
		length, err := from.Read(packet)
		if err != nil {
			log.Fatal(err)
		}
		now := current.Load()
		if now.Cut == "both" || now.Cut == direction || rand.Float64() < now.Loss {
			lost.Add(1)
			continue
		}
		send := func() { _, _ = to.Write(packet[:length]) }
		wait := time.Duration((now.DelayMs + rand.Float64()*now.JitterMs) * float64(time.Millisecond))
		if wait == 0 {
			send()
		} else {
			time.AfterFunc(wait, send)
		}
	}
}

func relay(listener net.Listener, target string) {
	for {
		near, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			far, err := net.Dial("tcp4", target)
			if err != nil {
				// As if nobody listened: the client sees a reset.
				_ = near.(*net.TCPConn).SetLinger(0)
				_ = near.Close()
				return
			}
			go pipe(near, far)
			pipe(far, near)
		}()
	}
}

// pipe hands on bytes, then the end: a clean end stays clean, a broken connection stays broken.
func pipe(to, from net.Conn) {
	if _, err := io.Copy(to, from); err != nil {
		_ = to.(*net.TCPConn).SetLinger(0)
		_ = to.Close()
		return
	}
	_ = to.(*net.TCPConn).CloseWrite()
}
