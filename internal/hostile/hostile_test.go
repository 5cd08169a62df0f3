package hostile_test

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/internal/hostile"
)

// Every file is a page that is played, and every page is there.
func TestEveryPageIsListed(t *testing.T) {
	srv := httptest.NewServer(hostile.Handler())
	defer srv.Close()
	if len(hostile.Pages) < 60 {
		t.Errorf("%d pages", len(hostile.Pages))
	}
	listed := map[string]bool{}
	for _, p := range hostile.Pages {
		if listed[p.Path] {
			t.Errorf("%s is listed twice", p.Path)
		}
		listed[p.Path] = true
		if p.Path == "redirects/" || p.Path == "garbage.html" {
			continue // these have no answer
		}
		resp, err := http.Get(srv.URL + "/" + p.Path)
		if err != nil {
			t.Errorf("%s: %v", p.Path, err)
			continue
		}
		head, _ := bufio.NewReader(resp.Body).Peek(15)
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK || !strings.HasPrefix(string(head), "<!doctype html>") && p.Path != "replaced.html" {
			t.Errorf("%s: status %d, %q", p.Path, resp.StatusCode, head)
		}
	}
	entries, err := os.ReadDir("pages")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".html") && !listed[e.Name()] {
			t.Errorf("%s is not listed", e.Name())
		}
	}
}

func TestHealthyGameIsServed(t *testing.T) {
	srv := httptest.NewServer(hostile.Handler())
	defer srv.Close()
	resp, err := http.Get(srv.URL + "/" + hostile.Healthy)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(page), "game.js") {
		t.Errorf("%s, %v", page, err)
	}
}
