package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/playtest-dev/playtest/record"
)

// play runs the command and reads its report and its record.
func playURL(t *testing.T, url string, args ...string) (rep record.Report, rec record.Record, stderr string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	var stdout, errors bytes.Buffer
	root := newRoot()
	root.SetArgs(append([]string{"run", url, "--out", dir, "--no-memory", "--max-duration", "60s"}, args...))
	root.SetOut(&stdout)
	root.SetErr(&errors)
	err := root.ExecuteContext(t.Context())
	if jsonErr := json.Unmarshal(stdout.Bytes(), &rep); jsonErr != nil {
		t.Fatalf("no report: %v, %v, %s", jsonErr, err, errors.String())
	}
	data, readErr := os.ReadFile(filepath.Join(dir, "record.json"))
	if readErr != nil {
		t.Fatal(readErr)
	}
	if err := json.Unmarshal(data, &rec); err != nil {
		t.Fatal(err)
	}
	return rep, rec, errors.String()
}

// A redirect to another port of this machine used to end up in the evidence.
func TestRefusedDocumentIsNotHeldAgainstTheGame(t *testing.T) {
	var touched atomic.Int32
	secret := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { touched.Add(1) }))
	defer secret.Close()
	game := httptest.NewServer(http.RedirectHandler(secret.URL, http.StatusFound))
	defer game.Close()
	rep, rec, _ := playURL(t, game.URL)
	if touched.Load() > 0 {
		t.Error("the other port was reached")
	}
	loaded := rep.Check(record.GameLoaded)
	if rep.Status != record.VerdictError || loaded.State != record.Unknown || !strings.Contains(loaded.Reason, "playtest refused to open 127.0.0.1:") {
		t.Errorf("status %s, %+v", rep.Status, loaded)
	}
	if len(rec.Health.Refused) != 1 || rec.Health.Refused[0].Reason != "a loopback address" {
		t.Errorf("refused %+v", rec.Health.Refused)
	}
}

func TestRefusedLoadsAreNamed(t *testing.T) {
	var touched atomic.Int32
	secret := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { touched.Add(1) }))
	defer secret.Close()
	game := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><body><h1>Game</h1><script>fetch(%q).catch(() => {})</script>`, secret.URL+"/metadata")
	}))
	defer game.Close()
	rep, rec, _ := playURL(t, game.URL, "--max-duration", "20s")
	if touched.Load() > 0 {
		t.Error("the other port was reached")
	}
	if len(rec.Health.Refused) != 1 || len(rec.Health.FailedLoads) > 1 { // the other one is the favicon
		t.Errorf("refused %+v, failed %+v", rec.Health.Refused, rec.Health.FailedLoads)
	}
	named := false
	for _, i := range rep.Issues {
		named = named || strings.HasPrefix(i.Description, "playtest refused to reach 127.0.0.1:") && i.Severity == record.Minor
	}
	if !named {
		t.Errorf("issues %+v", rep.Issues)
	}
	_, _, _ = playURL(t, game.URL, "--max-duration", "8s", "--allow-local")
	if touched.Load() == 0 {
		t.Error("--allow-local does not let the page reach the other port")
	}
}

// A password in the address used to be found in report.html, report.json, on
// stdout and in the progress.
func TestPasswordOfAnAddressIsNowhere(t *testing.T) {
	var admitted atomic.Int32
	game := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "s3cr3t" {
			w.Header().Set("WWW-Authenticate", `Basic realm="game"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		admitted.Add(1)
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><script src="missing.js"></script><h1>Game</h1>`)
	}))
	defer game.Close()
	dir := filepath.Join(t.TempDir(), "out")
	var stdout, stderr bytes.Buffer
	root := newRoot()
	root.SetArgs([]string{"run", strings.Replace(game.URL, "http://", "http://alice:s3cr3t@", 1), "--out", dir, "--no-memory", "--max-duration", "15s", "-v",
		"--db", filepath.Join(t.TempDir(), "runs.db")})
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	_ = root.ExecuteContext(t.Context()) // whatever the verdict
	if !strings.Contains(stdout.String(), "gameLoaded") || admitted.Load() == 0 {
		t.Errorf("the game was not let in: %s", stdout.String())
	}
	for name, text := range map[string]string{"stdout": stdout.String(), "stderr": stderr.String()} {
		if strings.Contains(text, "s3cr3t") {
			t.Errorf("the password is on %s", name)
		}
	}
	err := filepath.WalkDir(filepath.Dir(dir), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte("s3cr3t")) {
			t.Errorf("the password is in %s", filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	// The queue keeps no passwords, so it takes none.
	var out bytes.Buffer
	root = newRoot()
	root.SetArgs([]string{"runs", "submit", "http://alice:s3cr3t@game.example/", "--db", filepath.Join(t.TempDir(), "q.db")})
	root.SetOut(&out)
	root.SetErr(&out)
	if err := root.ExecuteContext(t.Context()); err == nil || strings.Contains(err.Error()+out.String(), "s3cr3t") {
		t.Errorf("submitted: %v", err)
	}
}

// As root without another user there is no sandbox: stderr and the record say so.
func TestNoSandboxIsSaid(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("for root only")
	}
	game := httptest.NewServer(http.NotFoundHandler())
	defer game.Close()
	_, rec, stderr := playURL(t, game.URL, "--browser-user", "root")
	if rec.Environment.Sandbox != "off: Chromium runs as root" || !strings.Contains(stderr, "NO SANDBOX") {
		t.Errorf("record %q, stderr %s", rec.Environment.Sandbox, stderr)
	}
	var page bytes.Buffer
	if code := execute([]string{"observe", game.URL, "--snapshot", "--browser-user", "root"}, nil, io.Discard, &page); !strings.Contains(page.String(), "NO SANDBOX") {
		t.Errorf("observe exits with %d, stderr %s", code, page.String())
	}
	_, rec, stderr = playURL(t, game.URL)
	if strings.HasPrefix(rec.Environment.Sandbox, "on") == strings.Contains(stderr, "NO SANDBOX") {
		t.Errorf("record %q, stderr %s", rec.Environment.Sandbox, stderr)
	}
}
