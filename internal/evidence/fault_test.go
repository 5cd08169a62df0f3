package evidence_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/internal/evidence"
)

// fullDiskChild is set in the child process of TestFullDisk to its folder.
const fullDiskChild = "PLAYTEST_TEST_FULL_DISK"

// TestFullDisk puts a file that does not fit. A limit on the size of files
// stands for the disk, because it needs no rights.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	put(t, s, "run-1", "a.log", "old")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fullDiskChild+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := get(t, s, "run-1", "a.log"); got != "old" {
		t.Errorf("the old file is %d bytes now", len(got))
	}
	if left, err := os.ReadDir(dir + "/.writing"); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

func fillDisk() int {
	signal.Ignore(syscall.SIGXFSZ)
	const limit = 1 << 20
	err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit})
	if err == nil {
		err = tryFullDisk(os.Getenv(fullDiskChild))
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func tryFullDisk(dir string) error {
	s, err := evidence.OpenFolder(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := s.Put(ctx, "run-1", "a.log", io.LimitReader(forever{}, 8<<20)); !errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("putting 8 MB: %v", err)
	}
	// The next small one has room again.
	w, err := evidence.NewWriter(s, "run-2", nil)
	if err != nil {
		return err
	}
	if err := w.File("b.log", []byte("small")); err != nil {
		return err
	}
	if err := w.File("big.log", make([]byte, 2<<20)); err != nil {
		return err
	}
	for i := range 20 { // other files go on being kept beside the one that fails
		if err := w.File(fmt.Sprintf("c%d.log", i), []byte("small")); err != nil {
			return err
		}
	}
	m, err := w.Close(ctx)
	if err == nil || len(m.Files) != 21 || len(m.Lost) != 1 || m.Lost[0].Name != "big.log" {
		return fmt.Errorf("closed with %d kept, lost %+v: %v", len(m.Files), m.Lost, err)
	}
	return nil
}

// downFor makes the bucket stay away longer, to measure (docs/reliability.md).
var downFor = flag.Duration("evidence.down", 0, "how long the bucket stays away in TestBucketDownForAWhile")

// TestBucketDownForAWhile writes a run's evidence while the server cannot be
// reached, and finds all of it when the server is back.
func TestBucketDownForAWhile(t *testing.T) {
	var p *proxy
	s := open(t, bucket(t, func(host string) string { p = newProxy(t, host); return p.address() }))
	notes := make(chan string, 100)
	w, err := evidence.NewWriter(s, "run-1", &evidence.WriterOptions{Note: func(text string) { notes <- text }})
	if err != nil {
		t.Fatal(err)
	}
	picture := func(i int) {
		if _, err := w.Picture(fmt.Sprintf("%d.png", i), []byte(strings.Repeat(fmt.Sprint(i), 50_000))); err != nil {
			t.Errorf("picture %d: %v", i, err)
		}
	}
	for i := range 5 {
		picture(i)
	}
	p.down()
	for i := range 10 {
		picture(5 + i)
	}
	if note := <-notes; !strings.Contains(note, "waits for its store") {
		t.Errorf("first note %q", note)
	}
	<-time.After(*downFor)
	p.up()
	back := time.Now()
	if note := <-notes; !strings.Contains(note, "kept again") {
		t.Errorf("second note %q", note)
	}
	m, err := w.Close(t.Context())
	if err != nil || len(m.Files) != 15 {
		t.Errorf("kept %d files: %v", len(m.Files), err)
	}
	t.Logf("%d files kept, the last %s after the bucket was back", len(m.Files), time.Since(back).Round(time.Millisecond))
	if err := evidence.Verify(t.Context(), s, "run-1", 1, ""); err != nil {
		t.Error(err)
	}
	if len(notes) > 0 {
		t.Errorf("another note: %s", <-notes)
	}
}

// proxy forwards connections on the loopback until it is told to be down.
type proxy struct {
	t        *testing.T
	target   string
	listener net.Listener
	wg       sync.WaitGroup

	mu    sync.Mutex
	dead  bool
	conns map[net.Conn]bool
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{t: t, target: target, listener: l, conns: map[net.Conn]bool{}}
	p.wg.Go(p.serve)
	t.Cleanup(func() {
		l.Close()
		p.down()
		p.wg.Wait()
	})
	return p
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) serve() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return
		}
		out, err := net.DialTimeout("tcp", p.target, 5*time.Second)
		if err != nil {
			in.Close()
			continue
		}
		p.mu.Lock()
		if p.dead {
			in.Close()
			out.Close()
		} else {
			p.conns[in], p.conns[out] = true, true
			p.wg.Go(func() { p.pipe(in, out) })
			p.wg.Go(func() { p.pipe(out, in) })
		}
		p.mu.Unlock()
	}
}

func (p *proxy) pipe(to, from net.Conn) {
	_, _ = io.Copy(to, from) // however it ends, both ends are closed
	to.Close()
	from.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, to)
	delete(p.conns, from)
}

// down ends every connection and all that come.
func (p *proxy) down() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = true
	for c := range p.conns {
		c.Close()
	}
}

func (p *proxy) up() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = false
}
