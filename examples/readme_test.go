package examples_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/model/modeltest"
)

// readme is what the README's library section tells a new user to do: the
// commands to run in an empty folder, and the program to write there.
func readme(t *testing.T) (commands, program string) {
	t.Helper()
	data, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(data), "\n## Library\n")
	section, _, _ = strings.Cut(section, "\n## ")
	parts := regexp.MustCompile("(?s)```sh\n(.*?)```.*?```go\n(.*?)```").FindStringSubmatch(section)
	if !found || parts == nil {
		t.Fatal("the README has no library section with commands and a program")
	}
	return parts[1], parts[2]
}

// A new user's first program works as the README has it, in a folder in which
// nothing but the README's commands were run. Instead of being fetched the module is
// taken from here, and what it requires from what was fetched to build this test.
func TestReadme(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>Shop</title><ul><li><a href="/tea">Tea</a> 4.50 <button onclick="setTimeout(() => { cart.hidden = false }, 200)">Buy tea</button></li></ul>
<p id=cart hidden>In the cart: tea</p>`)
	}))
	t.Cleanup(web.Close)
	dir := t.TempDir()
	const address = "https://example.com/shop"
	commands, program := readme(t)
	if !strings.Contains(program, address) {
		t.Fatalf("the program does not open %s", address)
	}
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOPROXY=off", "GOSUMDB=off", "GOWORK=off", "GOFLAGS=-buildvcs=false")
		return cmd
	}
	first, rest, _ := strings.Cut(commands, "\n")
	setup := command("sh", "-ec", first+"\ngo mod edit -replace github.com/playtest-dev/playtest="+root+"\n"+rest)
	if out, err := setup.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", commands, err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(strings.Replace(program, address, web.URL, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	// What go run does, in two steps: its own output would be mixed with the program's.
	if out, err := command("go", "build", "-o", "shopping", ".").CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	server := modeltest.NewAnthropic(t)
	server.Script(answer(`{"data": [{"name": "Tea", "price": 4.5, "page": "%s"}]}`, `link "Tea"`), answer(action, `button "Buy tea"`))
	shopping := command(filepath.Join(dir, "shopping"))
	shopping.Env = append(os.Environ(), "ANTHROPIC_API_KEY="+server.Key.Reveal(), "ANTHROPIC_BASE_URL="+server.URL)
	var stderr bytes.Buffer
	shopping.Stderr = &stderr
	out, err := shopping.Output()
	if want := "Tea costs 4.50: " + web.URL + "/tea\nIn the cart: tea\n"; err != nil || string(out) != want {
		t.Errorf("%v\n%s%s\nwant %s", err, out, &stderr, want)
	}
}
