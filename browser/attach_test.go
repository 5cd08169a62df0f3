package browser_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/cdp"
)

// remote runs a Chromium that is not ours and returns its WebSocket address.
func remote(t *testing.T) (ws string, cmd *exec.Cmd) {
	t.Helper()
	exe, err := browser.Find("")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd = exec.Command(exe.Path, "--headless", "--no-sandbox", "--remote-debugging-port=0", "--user-data-dir="+dir, "--no-first-run", "about:blank")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
		eventually(t, "the remote Chromium to end", func() bool { return len(carriers(dir)) == 0 })
		eventually(t, "its folder to go", func() bool { return os.RemoveAll(dir) == nil })
	})
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "DevTools listening on "); ok {
			go io.Copy(io.Discard, stderr) // keep it from blocking on a full pipe
			return strings.TrimSpace(address), cmd
		}
	}
	t.Fatal("remote Chromium said nothing")
	return "", nil
}

func TestAttach(t *testing.T) {
	ws, cmd := remote(t)
	host := strings.TrimPrefix(ws, "ws://")
	host = host[:strings.Index(host, "/")]
	srv := serve(t, map[string]string{"/": `remote <script>console.log('x'.repeat(100000))</script>`})
	for _, address := range []string{ws, "http://" + host} {
		ctx := testContext(t)
		b, err := browser.Attach(ctx, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := newPage(t, b, nil, nil)
		open(t, p, srv.URL)
		if got := eval[string](t, p, "document.body.innerText.trim() + 'x'.repeat(100000)"); len(got) != len("remote")+100000 {
			t.Errorf("got %d bytes", len(got)) // over the 32 KiB a WebSocket reads by default
		}
		if _, err := p.Screenshot(ctx, nil); err != nil {
			t.Error(err)
		}
		if b.PID() != 0 {
			t.Errorf("pid %d of somebody else's process", b.PID())
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if !p.Closed() {
			t.Error("our page is still open")
		}
		if err := syscall.Kill(cmd.Process.Pid, 0); err != nil {
			t.Fatalf("the remote browser is gone: %v", err)
		}
	}
	ctx := testContext(t)
	b, err := browser.Attach(ctx, ws, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	<-b.Done()
	var lost *cdp.LostError
	if !errors.As(b.Err(), &lost) {
		t.Errorf("ended with %v", b.Err())
	}
}

func TestAttachFailures(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	l.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	for name, address := range map[string]string{
		"nobody there":    "ws://" + closed + "/devtools/browser/x?token=secret",
		"nobody there 2":  "http://" + closed + "?token=secret",
		"no DevTools":     plain.URL + "?token=secret",
		"no WebSocket":    strings.Replace(plain.URL, "http", "ws", 1) + "/devtools?token=secret",
		"other scheme":    "ftp://example.invalid",
		"no address":      "::token=secret",
		"no scheme at al": "localhost",
	} {
		_, err := browser.Attach(testContext(t), address, nil)
		if err == nil {
			t.Errorf("%s: attached", name)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error gives the token away: %v", name, err)
		}
	}
}
