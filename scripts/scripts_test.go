// Package scripts_test runs the set-up scripts with stand-ins for the programs
// they call, so that nothing is installed.
package scripts_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A Chromium that the program finds must be found by the set-up too, or it
// installs a second one: macOS has it in /Applications.
func TestSetUpLooksWhereWeLook(t *testing.T) {
	source, err := os.ReadFile("../browser/find.go")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("setup-chromium")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(source), "var places")
	list, _, _ = strings.Cut(list, "\n}")
	places := regexp.MustCompile(`"[^"]+"`).FindAllString(list, -1)
	if len(places) < 5 {
		t.Fatalf("found only %q in find.go", places)
	}
	for _, place := range places {
		if !strings.Contains(string(script), place) {
			t.Errorf("setup-chromium does not look at %s", place)
		}
	}
}

// run runs a script with only the given stand-ins and the few tools that it
// needs in its PATH.
func run(t *testing.T, script string, standIns map[string]string, args ...string) (output string, err error) {
	t.Helper()
	bin := t.TempDir()
	for _, tool := range []string{"bash", "env", "dirname"} {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Skipf("no %s here", tool)
		}
		if err := os.Symlink(path, filepath.Join(bin, tool)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range standIns {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	abs, err := filepath.Abs(script)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(abs, args...)
	cmd.Env = []string{"PATH=" + bin}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestFontsAreInstalled(t *testing.T) {
	out, err := run(t, "setup-fonts", map[string]string{
		"fc-list": "exit 0", // no font has anything
		"id":      "echo 0",
		"apt-get": `echo "apt-get $*"`,
	})
	if err != nil || !strings.Contains(out, "install -y -q --no-install-recommends fonts-noto-color-emoji fonts-wqy-microhei") {
		t.Errorf("%v: %s", err, out)
	}
	out, err = run(t, "setup-fonts", map[string]string{"fc-list": "echo font.ttf", "apt-get": "echo called; exit 1"})
	if err != nil || out != "" {
		t.Errorf("with all fonts there: %v: %s", err, out)
	}
	out, err = run(t, "setup-fonts", map[string]string{"fc-list": "exit 0", "id": "echo 0", "apt-get": "exit 100"})
	if err != nil || !strings.Contains(out, "warning: going on without") {
		t.Errorf("fonts that cannot be had: %v: %s", err, out)
	}
}

// The headless shell, which is all that the set-up installs, will not do for the
// comparison with others.
func TestPeersGetAChromium(t *testing.T) {
	machine := map[string]string{"id": "echo 0", "apt-get": `echo "apt-get $*"`, "go": `echo "go $*"`}
	out, err := run(t, "bench-peers", machine)
	if err != nil || !strings.Contains(out, "apt-get install -y -q --no-install-recommends chromium\n") || !strings.Contains(out, "go run ./bench/peers") {
		t.Errorf("%v: %s", err, out)
	}
	if out, err = run(t, "bench-peers", machine, "-chromium", "/opt/chromium"); err != nil || strings.Contains(out, "apt-get install -y") {
		t.Errorf("with one that was named: %v: %s", err, out)
	}
	machine["chromium"] = "exit 0"
	if out, err = run(t, "bench-peers", machine); err != nil || strings.Contains(out, "apt-get install -y") {
		t.Errorf("with one that is there: %v: %s", err, out)
	}
}

func TestInstallSaysWhatItRuns(t *testing.T) {
	out, err := run(t, "apt-install", map[string]string{"id": "echo 1000", "sudo": `[ "$2" = true ] || echo "did $*"`, "apt-get": "exit 0"}, "a tool", "tool")
	if err != nil || !strings.Contains(out, "+ sudo -n env DEBIAN_FRONTEND=noninteractive apt-get install") {
		t.Errorf("%v: %s", err, out)
	}
	out, err = run(t, "apt-install", map[string]string{"id": "echo 1000", "sudo": "exit 1", "apt-get": "echo ran"}, "a tool", "tool")
	if err == nil || strings.Contains(out, "ran") || !strings.Contains(out, "hint: run this once: sudo apt-get update") {
		t.Errorf("where sudo wants a password: %v: %s", err, out)
	}
	out, err = run(t, "apt-install", map[string]string{"dnf": "exit 0"}, "a Chromium", "chromium")
	if err == nil || !strings.Contains(out, "hint: sudo dnf install chromium\n") {
		t.Errorf("on Fedora: %v: %s", err, out)
	}
	for _, tt := range []struct{ system, debian, want string }{
		{"dnf", "gcc libc6-dev", "hint: sudo dnf install gcc glibc-devel\n"},
		{"dnf", "postgresql", "hint: sudo dnf install postgresql-server\n"},
		{"dnf", "fonts-noto-color-emoji", "hint: sudo dnf install google-noto-color-emoji-fonts\n"},
		{"brew", "chromium-headless-shell chromium-sandbox fonts-liberation", "hint: brew install --cask chromium"},
		{"brew", "gcc libc6-dev", "hint: xcode-select --install\n"},
		{"brew", "postgresql", "hint: brew install postgresql\n"},
		{"pacman", "postgresql", "hint: sudo pacman -S postgresql\n"},
	} {
		out, err := run(t, "apt-install", map[string]string{tt.system: "exit 0"}, append([]string{"it"}, strings.Fields(tt.debian)...)...)
		if err == nil || !strings.Contains(out, tt.want) {
			t.Errorf("%s with %s: %v: %s", tt.debian, tt.system, err, out)
		}
	}
}

// At a terminal sudo is only used after a yes.
func TestInstallAsksBeforeSudo(t *testing.T) {
	terminal, err := exec.LookPath("script")
	if err != nil {
		t.Skip("no script(1) here to make a terminal with")
	}
	bin := t.TempDir()
	for name, text := range map[string]string{"id": "echo 1000", "sudo": "echo sudo was used", "apt-get": "exit 0"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for answer, want := range map[string]bool{"n\n": false, "\n": false, "y\n": true} {
		cmd := exec.Command(terminal, "-qec", "./apt-install 'a tool' tool", "/dev/null")
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
		cmd.Stdin = strings.NewReader(answer)
		out, _ := cmd.CombinedOutput()
		if !strings.Contains(string(out), "[y/N]") {
			t.Errorf("not asked: %s", out)
		}
		if got := strings.Contains(string(out), "sudo was used"); got != want {
			t.Errorf("after %q sudo was used: %v, want %v: %s", answer, got, want, out)
		}
	}
}

// What scripts/offline runs talks to loopback and to nobody else, or says that it
// may. make test-offline runs every test in it.
func TestOfflineMeansOffline(t *testing.T) {
	cmd := exec.Command("./offline", "sh", "-c", `echo "offline: $PLAYTEST_TEST_OFFLINE"; cat /proc/net/route 2>/dev/null`)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if strings.Contains(string(out), "warning: the network is not shut off") {
		t.Skip("no namespaces here")
	}
	// A route of the kernel that leads to a gateway has it in its third field.
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) > 3 && f[0] != "Iface" && f[2] != "00000000" {
			t.Errorf("there is a way out: %s", line)
		}
	}
	if !strings.Contains(string(out), "offline: 1\n") {
		t.Errorf("the command is not told: %s", out)
	}
}

// Where the tests run in scripts/offline there is no way out, so whatever passes
// there needs loopback only.
func TestThereIsNoWayOut(t *testing.T) {
	if os.Getenv("PLAYTEST_TEST_OFFLINE") != "1" {
		t.Skip("only in scripts/offline: make test-offline")
	}
	for _, address := range []string{"1.1.1.1:443", "169.254.169.254:80", "10.0.0.1:80", "[2606:4700:4700::1111]:443"} {
		if c, err := net.DialTimeout("tcp", address, 2*time.Second); err == nil {
			c.Close()
			t.Errorf("%s was reached", address)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatalf("loopback: %v", err)
	}
	c.Close()
}

// Every module that is built into the program is named with its licence.
func TestNoticesAreCurrent(t *testing.T) {
	notices, err := os.ReadFile("../THIRD_PARTY_NOTICES.md")
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string]bool{}
	for _, target := range []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"} {
		system, arch, _ := strings.Cut(target, "/")
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "./cmd/playtest")
		cmd.Dir, cmd.Env = "..", append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", target, err)
		}
		for line := range strings.Lines(string(out)) {
			if line = strings.TrimSpace(line); line != "" {
				modules[line] = true
			}
		}
	}
	for module := range modules {
		if !strings.Contains(string(notices), "\n## "+module+"\n") {
			t.Errorf("%s is missing: run scripts/notices", module)
		}
	}
}

// Whoever tries the demo sees what is happening and what to do next, and gets the
// game's exit code.
func TestDemoSaysWhatItDoes(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"scripts", "bin"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script, err := os.ReadFile("demo")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"scripts/demo":           string(script),
		"scripts/setup-chromium": "#!/bin/sh\n",
		"bin/playtest":           "#!/bin/sh\necho played \"$@\"; exit 1\n",
		"go":                     "#!/bin/sh\nif [ $1 = list ]; then seq 250; else echo go: downloading example.com/m v1.0.0; seq 230; fi\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(filepath.Join(root, "scripts", "demo"), "noughts")
	cmd.Env = append(os.Environ(), "GO="+filepath.Join(root, "go"))
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("ended with %v", err)
	}
	for _, want := range []string{"1 of 3", "2 of 3", "compiled 100 of at most 250", "compiled 200 of", "3 of 3", "played demo noughts", "Three things to try next"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
}

// A version that is none is found before anything is built.
func TestReleaseChecksTheVersion(t *testing.T) {
	cmd := exec.Command("./release")
	cmd.Env = append(os.Environ(), "VERSION=newest", "GO=false")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 64 || !strings.Contains(string(out), "no version") {
		t.Errorf("ended with %v\n%s", err, out)
	}
}
