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

// readmeProgram is the program in the README's library section.
func readmeProgram(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(data), "\n## Library\n")
	program := regexp.MustCompile("(?s)```go\n(.*?)```").FindStringSubmatch(section)
	if !found || program == nil || !strings.Contains(section, "go get github.com/playtest-dev/playtest\n") {
		t.Fatal("the README has no library section with a program and how to get the module")
	}
	return program[1]
}

// A new user's first program works as the README has it, in a module that has
// nothing but this one. Instead of being fetched the module is taken from here.
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
	program := readmeProgram(t)
	if !strings.Contains(program, address) {
		t.Fatalf("the program does not open %s", address)
	}
	// What go get would write: the module, and what it requires in turn.
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	_, required, _ := strings.Cut(string(mod), "\n")
	for name, text := range map[string]string{
		"main.go": strings.Replace(program, address, web.URL, 1),
		"go.sum":  string(sums),
		"go.mod": fmt.Sprintf("module example.com/shopping\n%s\nrequire github.com/playtest-dev/playtest v0.0.0\n\nreplace github.com/playtest-dev/playtest => %s\n",
			required, root),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	command := func(name string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		return cmd
	}
	build := command("go", "build", "-mod=mod", "-o", "shopping", ".")
	build.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off") // all that is needed is there, or this would not have been built
	if out, err := build.CombinedOutput(); err != nil {
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
