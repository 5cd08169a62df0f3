package browser_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/playtest-dev/playtest/browser"
)

// usersOf lists the users that the processes of a group run as.
func usersOf(pgid int) map[string]int {
	users := map[string]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, name := range stats {
		data, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(data), fmt.Sprintf("\nNSpgid:\t%d\n", pgid)) {
			continue
		}
		for line := range strings.Lines(string(data)) {
			if rest, ok := strings.CutPrefix(line, "Uid:\t"); ok {
				users[strings.Fields(rest)[1]]++
			}
		}
	}
	return users
}

// seccomp reports whether a renderer of the group is filtered, which is what the
// sandbox comes down to.
func seccomp(pgid int) bool {
	stats, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, name := range stats {
		data, err := os.ReadFile(name)
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
		if err == nil && bytes.Contains(line, []byte("--type=renderer")) && strings.Contains(string(data), fmt.Sprintf("\nNSpgid:\t%d", pgid)) && strings.Contains(string(data), "\nSeccomp:\t2") {
			return true
		}
	}
	return false
}

// Root can start a browser as somebody who owns nothing: then the sandbox works.
func TestRootLaunchesAsNobody(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become somebody else")
	}
	b := launch(t, &browser.LaunchOptions{User: browser.AnyUser})
	if !strings.HasPrefix(b.Sandbox(), "on, as nobody") {
		t.Skipf("the sandbox does not work for nobody here: %s", b.Sandbox())
	}
	srv := serve(t, map[string]string{"/": "<b>hi"})
	p := newPage(t, b, nil, nil)
	open(t, p, srv.URL)
	if users := usersOf(b.PID()); users["0"] > 0 || len(users) != 1 {
		t.Errorf("processes by user: %v", users)
	}
	if !seccomp(b.PID()) {
		t.Error("no renderer is filtered: there is no sandbox")
	}
	dirs := profilesOf(b.PID())
	if info, err := os.Stat(dirs[0]); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("profile folder: %v, %v", info, err)
	}
}

func TestRootWithoutAUserIsTold(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("for root only")
	}
	var log bytes.Buffer
	b := launch(t, &browser.LaunchOptions{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if b.Sandbox() != "off: Chromium runs as root" || !strings.Contains(log.String(), "without its sandbox") {
		t.Errorf("%s, %s", b.Sandbox(), log.String())
	}
	if _, err := browser.Launch(testContext(t), &browser.LaunchOptions{User: "no-such-user"}); err == nil {
		t.Error("launched as somebody who does not exist")
	}
}

func TestOrdinaryUsersHaveTheSandbox(t *testing.T) {
	if os.Geteuid() == 0 {
		asNobody(t)
		return
	}
	b := launch(t, nil)
	newPage(t, b, nil, nil)
	if b.Sandbox() != "on" || !seccomp(b.PID()) {
		t.Errorf("sandbox %s", b.Sandbox())
	}
}

// asNobody runs the test once more as an ordinary user, since most machines that run
// the suite are root's.
func asNobody(t *testing.T) {
	t.Helper()
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Skip(err)
	}
	uid, uidErr := strconv.Atoi(nobody.Uid)
	gid, gidErr := strconv.Atoi(nobody.Gid)
	if err := errors.Join(uidErr, gidErr); err != nil {
		t.Fatal(err)
	}
	if b := launch(t, &browser.LaunchOptions{User: "nobody"}); !strings.HasPrefix(b.Sandbox(), "on") {
		t.Skipf("the sandbox does not work for nobody here: %s", b.Sandbox())
	}
	dir, err := os.MkdirTemp("/tmp", "pt") // t.TempDir may be below what only root can enter
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "browser.test")
	data, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(binary, data, 0o755), os.Chown(dir, uid, gid)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(testContext(t), binary, "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir, "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
}

// Chromium leaves folders of its own in the temporary folder.
func TestNothingStaysInTheTemporaryFolder(t *testing.T) {
	tmp, err := os.MkdirTemp("/tmp", "pt") // short, as those of most systems are
	if err != nil {
		t.Skip(err)
	}
	defer os.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o1777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", tmp)
	for _, user := range []string{"", browser.AnyUser} {
		b, err := browser.Launch(testContext(t), &browser.LaunchOptions{User: user})
		if err != nil {
			t.Fatal(err)
		}
		c, err := b.NewContext(testContext(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.NewPage(testContext(t), nil); err != nil {
			t.Fatal(err)
		}
		during, _ := os.ReadDir(tmp)
		if len(during) != 1 {
			t.Errorf("as %q there are %v while it runs, want one folder", user, during)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(tmp); len(left) > 0 {
			t.Errorf("as %q left behind: %v", user, left)
		}
	}
}
