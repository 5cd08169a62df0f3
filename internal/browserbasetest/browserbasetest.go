// Package browserbasetest is a strict stand-in for Browserbase's REST API, with a
// real Chromium behind the sessions. It refuses what the service refuses and notes
// every session that is not released.
package browserbasetest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/coder/websocket"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/browserbase"
)

// Key and Project are what the stand-in accepts.
const (
	Key     = "bb_test_Zm9yIHRlc3Rz"
	Project = "0f5a5cb8-1111-4c6d-9d3e-2b1f6f0c0a11"
)

// Service is the stand-in.
type Service struct {
	URL string
	// Refuse, when set, may answer a request instead: its status, and what
	// Retry-After says.
	Refuse func(method, path string) (status int, retryAfter string)

	t        *testing.T
	debugger string
	mu       sync.Mutex
	sessions map[string]*session
	made     []map[string]any
	requests int
}

type session struct {
	released  bool
	connected int
	hangUp    context.CancelFunc
}

// New starts the service. The sessions are contexts of the Chromium at the
// DevTools address; "" refuses to connect.
func New(t *testing.T, debugger string) *Service {
	s := &Service{t: t, debugger: debugger, sessions: map[string]*session{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/sessions", s.create)
	mux.HandleFunc("POST /v1/sessions/{id}", s.update)
	mux.HandleFunc("GET /v1/sessions/{id}/debug", s.debug)
	mux.HandleFunc("GET /connect", s.connect)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("Browserbase has no %s %s", r.Method, r.URL.Path)
		s.say(w, http.StatusNotFound, "not found")
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests++
		refuse := s.Refuse
		s.mu.Unlock()
		if refuse != nil {
			if status, after := refuse(r.Method, r.URL.Path); status != 0 {
				if after != "" {
					w.Header().Set("Retry-After", after)
				}
				s.say(w, status, "refused by the test")
				return
			}
		}
		if r.URL.Path != "/connect" && r.Header.Get("X-BB-API-Key") != Key {
			s.say(w, http.StatusUnauthorized, "Unauthorized")
			return
		}
		mux.ServeHTTP(w, r)
	}))
	s.URL = server.URL
	t.Cleanup(func() {
		s.HangUp()
		server.Close()
	})
	return s
}

func (s *Service) say(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"statusCode": status, "error": http.StatusText(status), "message": message})
}

// create takes the fields of the documentation and no others.
func (s *Service) create(w http.ResponseWriter, r *http.Request) {
	var in struct {
		ProjectID       string          `json:"projectId"`
		ExtensionID     string          `json:"extensionId"`
		BrowserSettings json.RawMessage `json:"browserSettings"`
		Timeout         *int            `json:"timeout"`
		KeepAlive       bool            `json:"keepAlive"`
		Proxies         json.RawMessage `json:"proxies"`
		Region          string          `json:"region"`
		UserMetadata    map[string]any  `json:"userMetadata"`
	}
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	err := dec.Decode(&in)
	switch {
	case r.Header.Get("Content-Type") != "application/json":
		s.say(w, http.StatusUnsupportedMediaType, "Content-Type")
		return
	case err != nil:
		s.say(w, http.StatusBadRequest, err.Error())
		return
	case in.ProjectID != "" && in.ProjectID != Project:
		s.say(w, http.StatusForbidden, "the key is not for that project")
		return
	case in.Timeout != nil && (*in.Timeout < 60 || *in.Timeout > 21600):
		s.say(w, http.StatusBadRequest, "timeout must be between 60 and 21600")
		return
	case in.Region != "" && !slices.Contains(browserbase.Regions, in.Region):
		s.say(w, http.StatusBadRequest, "unknown region")
		return
	}
	s.mu.Lock()
	id := fmt.Sprintf("5d7c3f6e-0000-4000-8000-%012d", len(s.sessions)+1)
	s.sessions[id] = &session{}
	s.made = append(s.made, map[string]any{"region": in.Region, "keepAlive": in.KeepAlive, "timeout": *in.Timeout, "proxies": string(in.Proxies)})
	s.mu.Unlock()
	region := in.Region
	if region == "" {
		region = "us-west-2"
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	json.NewEncoder(w).Encode(map[string]any{
		"id": id, "projectId": Project, "status": "RUNNING", "region": region, "keepAlive": in.KeepAlive, "proxyBytes": 0,
		"connectUrl": "ws" + strings.TrimPrefix(s.URL, "http") + "/connect?apiKey=" + Key + "&sessionId=" + id,
	})
}

func (s *Service) update(w http.ResponseWriter, r *http.Request) {
	var in struct {
		ProjectID string `json:"projectId"`
		Status    string `json:"status"`
	}
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil || in.Status != "REQUEST_RELEASE" || in.ProjectID != Project {
		s.t.Errorf("a release that Browserbase does not take: %+v, %v", in, err)
		s.say(w, http.StatusBadRequest, "status must be REQUEST_RELEASE")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.sessions[r.PathValue("id")]
	if found == nil {
		s.say(w, http.StatusNotFound, "no such session")
		return
	}
	if found.released {
		s.t.Error("a session is released twice")
	}
	found.released = true
	if found.hangUp != nil {
		found.hangUp()
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `{"status":"COMPLETED"}`)
}

func (s *Service) debug(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"debuggerFullscreenUrl": "https://www.browserbase.com/devtools-fullscreen/" + r.PathValue("id"), "pages": []any{}})
}

// connect passes everything between the caller and the Chromium.
func (s *Service) connect(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	s.mu.Lock()
	found := s.sessions[r.URL.Query().Get("sessionId")]
	ok := found != nil && !found.released && r.URL.Query().Get("apiKey") == Key && s.debugger != ""
	if ok {
		found.connected++
		found.hangUp = cancel
	}
	s.mu.Unlock()
	if !ok {
		s.say(w, http.StatusGone, "the session is not running")
		return
	}
	behind, _, err := websocket.Dial(ctx, s.debugger, &websocket.DialOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		s.t.Errorf("the Chromium behind Browserbase: %v", err)
		s.say(w, http.StatusBadGateway, "no browser")
		return
	}
	defer behind.CloseNow()
	front, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return
	}
	defer front.CloseNow()
	front.SetReadLimit(-1)
	behind.SetReadLimit(-1)
	var both sync.WaitGroup
	for _, way := range [][2]*websocket.Conn{{front, behind}, {behind, front}} {
		both.Go(func() {
			defer cancel()
			for {
				kind, data, err := way[0].Read(ctx)
				if err != nil || way[1].Write(ctx, kind, data) != nil {
					return
				}
			}
		})
	}
	both.Wait()
}

// HangUp ends every session, as a service does that has had enough.
func (s *Service) HangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, found := range s.sessions {
		if found.hangUp != nil {
			found.hangUp()
		}
	}
}

// Sessions counts those that were made and those of them that still cost.
func (s *Service) Sessions() (made, open int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, found := range s.sessions {
		if !found.released {
			open++
		}
	}
	return len(s.sessions), open
}

// Requests counts the requests to the API.
func (s *Service) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// Last is what the last session was made with.
func (s *Service) Last() map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.made) == 0 {
		return nil
	}
	return s.made[len(s.made)-1]
}

// Chromium runs one that is not ours, and returns its DevTools address.
func Chromium(t *testing.T) string {
	t.Helper()
	exe, err := browser.Find("")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe.Path, "--headless", "--no-sandbox", "--remote-debugging-port=0", "--user-data-dir="+t.TempDir(), "--no-first-run", "about:blank")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	drained := make(chan struct{})
	address := make(chan string, 1)
	go func() {
		defer close(drained)
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			if _, at, ok := strings.Cut(lines.Text(), "DevTools listening on "); ok {
				address <- strings.TrimSpace(at)
			}
		}
		close(address)
	}()
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-drained
		cmd.Wait()
	})
	at, ok := <-address
	if !ok {
		t.Fatal("Chromium said nothing")
	}
	return at
}
