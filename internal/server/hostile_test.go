package server_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/playtest-dev/playtest/internal/evidence"
	"github.com/playtest-dev/playtest/internal/server"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/internal/store/storetest"
	"github.com/playtest-dev/playtest/record"
)

// pipes is a listener whose connections are in memory, so that their time can be a test's.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func (p *pipes) dial() net.Conn {
	ours, theirs := net.Pipe()
	p.conns <- theirs
	return ours
}

// socket is a WebSocket over a connection in memory.
func (p *pipes) socket(t *testing.T, path string, header http.Header) *websocket.Conn {
	t.Helper()
	dial := func(context.Context, string, string) (net.Conn, error) { return p.dial(), nil }
	client := &http.Client{Transport: &http.Transport{DialContext: dial}}
	conn, _, err := websocket.Dial(t.Context(), "ws://localhost"+path, &websocket.DialOptions{HTTPClient: client, HTTPHeader: header})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(4 << 20)
	return conn
}

// Whoever sends or reads a byte a second holds a connection no longer than anybody, and
// others are answered meanwhile.
func TestSlowClientsAreCutOff(t *testing.T) {
	const post = "POST /api/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
	for name, tt := range map[string]struct {
		// sends is what comes at once, dribbles what comes a byte a second after it.
		sends, dribbles string
		reads           bool
		least, most     time.Duration
	}{
		"nothing at all":          {reads: true, least: 9 * time.Second, most: 11 * time.Second},
		"headers byte by byte":    {dribbles: "GET /api/health HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + strings.Repeat("a", 500), reads: true, least: 9 * time.Second, most: 11 * time.Second},
		"a body byte by byte":     {sends: post, dribbles: strings.Repeat(" ", 500), reads: true, least: 29 * time.Second, most: 40 * time.Second},
		"silence after an answer": {sends: "GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n", reads: true, least: 119 * time.Second, most: 121 * time.Second},
		"an answer unread":        {sends: "GET /assets/app.css HTTP/1.1\r\nHost: localhost\r\n\r\n", least: 29 * time.Second, most: 61 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, l, stop := served(t, &server.Options{Open: true})
				defer stop()
				conn := l.dial()
				defer conn.Close()
				began := time.Now()
				cut := make(chan struct{})
				go func() {
					defer close(cut)
					if tt.sends != "" {
						if _, err := io.WriteString(conn, tt.sends); err != nil {
							return
						}
					}
					for i := range len(tt.dribbles) {
						if _, err := io.WriteString(conn, tt.dribbles[i:i+1]); err != nil {
							return
						}
						time.Sleep(time.Second)
					}
					if !tt.reads {
						// It is not read, but it is seen that nothing can be sent any more.
						for {
							if _, err := io.WriteString(conn, "\r\n"); err != nil {
								return
							}
							time.Sleep(time.Second)
						}
					}
				}()
				if tt.reads {
					_, _ = io.Copy(io.Discard, conn) // until it is cut off, however that is told
				} else {
					<-cut
				}
				defer func() { <-cut }() // the next byte fails
				if took := time.Since(began); took < tt.least || took > tt.most {
					t.Errorf("cut off after %s", took)
				}
				other := l.dial()
				defer other.Close()
				if _, err := io.WriteString(other, "GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"); err != nil {
					t.Fatal(err)
				}
				resp, err := http.ReadResponse(bufio.NewReader(other), nil)
				if err != nil || resp.StatusCode != http.StatusOK {
					t.Errorf("another is answered %v, %v", resp, err)
				}
			})
		})
	}
}

// served is a room on connections in memory.
func served(t *testing.T, opts *server.Options) (r *room, l *pipes, stop func()) {
	t.Helper()
	r = furnish(t, storetest.SQLite(t), opts)
	l, stop = r.serve(t)
	return r, l, stop
}

func (r *room) serve(t *testing.T) (l *pipes, stop func()) {
	t.Helper()
	l = newPipes()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.door.Serve(ctx, l, "", "") }()
	return l, func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// certificate writes one for 127.0.0.1 with its key and returns who trusts it.
func certificate(t *testing.T) (cert, key string, trust *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	trust = x509.NewCertPool()
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	trust.AddCert(parsed)
	return cert, key, trust
}

func TestServedOverTLS(t *testing.T) {
	r := open(t, storetest.SQLite(t), &server.Options{Secure: true, PollEvery: 5 * time.Millisecond})
	token := r.token(t, store.DefaultProject, store.ScopeAdmin)
	cert, key, trust := certificate(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- r.door.Serve(ctx, l, cert, key) }()
	addr := l.Addr().String()
	client := func(most uint16) *http.Client {
		return &http.Client{
			Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust, MaxVersion: most, MinVersion: tls.VersionTLS10}, DisableKeepAlives: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	form := url.Values{"token": {token}}.Encode()
	req, err := http.NewRequestWithContext(ctx, "POST", "https://"+addr+"/login", strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := client(0).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if c := resp.Cookies(); resp.StatusCode != http.StatusSeeOther || len(c) != 1 || !c[0].Secure || !c[0].HttpOnly {
		t.Errorf("log in: %d %v", resp.StatusCode, c)
	}
	if resp.Header.Get("Strict-Transport-Security") == "" {
		t.Error("browsers are not told to stay with TLS")
	}
	conn, _, err := websocket.Dial(ctx, "wss://"+addr+"/api/live", &websocket.DialOptions{HTTPClient: client(0), HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
	if err != nil {
		t.Fatal(err)
	}
	if m := read(t, ctx, conn); m.Type != "snapshot" {
		t.Errorf("first %+v", m)
	}
	conn.CloseNow()

	var refused *tls.CertificateVerificationError
	if _, err := (&http.Client{}).Get("https://" + addr + "/api/health"); !errors.As(err, &refused) {
		t.Errorf("the certificate is not the one of the file: %v", err)
	}
	if _, err := client(tls.VersionTLS11).Get("https://" + addr + "/api/health"); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
	resp, err = http.Get("http://" + addr + "/api/health")
	if err == nil {
		resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest {
			t.Errorf("without TLS: %d", resp.StatusCode)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	l, err = net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := r.door.Serve(t.Context(), l, key, cert); err == nil {
		t.Error("files that are no certificate are served with")
	}
}

// A session is what the server gave out and nothing like it, and it ends with its token.
func TestForgedSessions(t *testing.T) {
	r := closed(t)
	text := r.token(t, "red", store.ScopeRead)
	a := r.ask(t, "POST", "/login", url.Values{"token": {text}}.Encode(), "Content-Type", "application/x-www-form-urlencoded")
	given := a.Cookies()[0].Value
	flipped := []byte(given)
	flipped[len(flipped)/2] ^= 1
	other := closed(t)
	elsewhere := other.ask(t, "POST", "/login", url.Values{"token": {other.token(t, "red", store.ScopeRead)}}.Encode(), "Content-Type", "application/x-www-form-urlencoded").Cookies()[0].Value
	for name, value := range map[string]string{
		"a letter changed": string(flipped), "shorter": given[:len(given)-1], "longer": given + "A", "twice": given + given, "upper case": strings.ToUpper(given),
		"another server's": elsewhere, "the token itself": text, "an SQL pattern": "%", "huge": strings.Repeat("A", 8000), "a null": given + "%00",
	} {
		if a := r.ask(t, "GET", "/api/runs", "", "Cookie", "playtest_session="+value); a.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", name, a.StatusCode, a.body)
		}
	}
	if a := r.ask(t, "GET", "/api/runs", "", "Cookie", "playtest_session="+given); a.StatusCode != http.StatusOK {
		t.Fatalf("the one that was given: %d", a.StatusCode)
	}
	if was, err := r.db.RevokeToken(t.Context(), strings.Split(text, "_")[1]); err != nil || !was {
		t.Fatal(was, err)
	}
	if a := r.ask(t, "GET", "/api/runs", "", "Cookie", "playtest_session="+given); a.StatusCode != http.StatusUnauthorized {
		t.Errorf("after its token was revoked: %d", a.StatusCode)
	}
}

// A token in an address is refused wherever it stands, also a valid one: it is in logs by now.
func TestTokensInAddressesAreRefused(t *testing.T) {
	r := closed(t)
	token := r.token(t, "red", store.ScopeAdmin)
	for _, path := range []string{
		"/api/runs?token=" + token, "/api/runs?access_token=x", "/api/runs?search=" + token, "/api/runs?search=" + url.QueryEscape("Bearer "+token), "/api/runs?" + token, "/api/runs?search=x;" + token,
		"/api/runs/" + token, "/api/runs/x" + token + "/report", "/runs/" + token, "/login?token=" + token, "/assets/" + token + ".js", "/api/live?token=" + token,
	} {
		a := r.ask(t, "GET", path, "", "Authorization", "Bearer "+token)
		if a.StatusCode != http.StatusBadRequest || bytes.Contains(a.body, []byte(token)) || !bytes.Contains(a.body, []byte("revoke")) {
			t.Errorf("%.30s: %d %s", path, a.StatusCode, a.body)
		}
	}
}

func TestAThousandSubmissionsAtOnce(t *testing.T) {
	r := local(t)
	const many, same = 900, 100
	var wait sync.WaitGroup
	var mu sync.Mutex
	ids, repeated := map[string]int{}, 0
	for i := range many + same {
		wait.Go(func() {
			body, header := fmt.Sprintf(`{"url":"http://a.example/%d"}`, i), []string(nil)
			if i >= many {
				body, header = `{"url":"http://a.example/same"}`, []string{"Idempotency-Key", "same"}
			}
			a := r.ask(t, "POST", "/api/runs", body, header...)
			var got server.Submitted
			if a.StatusCode != http.StatusAccepted {
				t.Errorf("%d %s", a.StatusCode, a.body)
				return
			}
			a.decode(t, &got)
			mu.Lock()
			defer mu.Unlock()
			ids[got.ID]++
			if got.Runs[0].Repeated {
				repeated++
			}
		})
	}
	wait.Wait()
	if len(ids) != many+1 || repeated != same-1 {
		t.Errorf("%d runs, %d were there before", len(ids), repeated)
	}
	counts, err := r.db.Counts(t.Context())
	if err != nil || len(counts) != 1 || counts[0].Runs != many+1 {
		t.Errorf("stored %+v, %v", counts, err)
	}
}

// Clients that flood their connections are cut off or ignored, and whoever watches
// hears everything meanwhile.
func TestFloodsOverWebSockets(t *testing.T) {
	r := local(t)
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	id := r.submit(t, store.DefaultProject, "http://a.example/")
	run, tell := r.begin(t)
	path := "/api/runs/" + id + "/live?pictures=1"
	conn := r.dial(t, ctx, path, nil)
	read(t, ctx, conn)

	mask := "\x00\x00\x00\x00"
	floods := map[string]struct {
		frames string
		// cut: the first of them ends the connection.
		cut bool
	}{
		"pings":                    {frames: strings.Repeat("\x89\x80"+mask, 100_000)},
		"pongs":                    {frames: strings.Repeat("\x8a\x80"+mask, 100_000)},
		"texts":                    {frames: strings.Repeat("\x81\x81"+mask+"x", 10_000), cut: true},
		"a message without an end": {frames: "\x01\x81" + mask + "x" + strings.Repeat("\x00\x81"+mask+"x", 10_000), cut: true},
		"a message of an exabyte":  {frames: "\x82\xff\x0f\xff\xff\xff\xff\xff\xff\xff" + mask + strings.Repeat("x", 1000), cut: true},
		"frames that are none":     {frames: strings.Repeat("\xff", 10_000), cut: true},
		"frames without a mask":    {frames: strings.Repeat("\x81\x01x", 1000), cut: true},
	}
	var wait sync.WaitGroup
	for name, flood := range floods {
		wait.Go(func() {
			raw, err := upgraded(ctx, r.Listener.Addr().String(), path)
			if err != nil {
				t.Error(err)
				return
			}
			defer raw.Close()
			_, sent := io.WriteString(raw, flood.frames)
			if !flood.cut {
				return // the server answers or not, and goes on
			}
			// Either it was cut off while it sent, or it reads the end.
			if _, err := io.Copy(io.Discard, raw); ctx.Err() != nil {
				t.Errorf("%s: nobody ended it: %v, %v", name, sent, err)
			}
		})
	}
	const transitions = 50
	for i := range transitions {
		tell(record.EventPhase, fmt.Sprintf("%d now", i))
	}
	r.end(t, run)
	if err := follow(ctx, conn, func() {}, transitions); err != nil {
		t.Error(err)
	}
	wait.Wait()
}

// upgraded is a connection on which a WebSocket was agreed on, to write anything to.
func upgraded(ctx context.Context, addr, path string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { conn.Close() })
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", path, addr)
	return conn, err
}

// get asks over a connection in memory and leaves the answer's body to be read.
func get(t *testing.T, conn net.Conn, path, header string) *http.Response {
	t.Helper()
	if _, err := io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n"+header+"\r\n"); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// kinds lists the events of a stream until stop says so or it ends.
func kinds(body io.Reader, stop func(kind string) bool) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if kind, ok := strings.CutPrefix(lines.Text(), "event: "); ok && stop(kind) {
			return nil
		}
	}
	return cmp.Or(lines.Err(), io.EOF)
}

// A stream outlives what other requests are bounded by, and says every 15 seconds that it is there.
func TestAStreamLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, l, stop := served(t, &server.Options{Open: true})
		defer stop()
		conn := l.dial()
		defer conn.Close()
		began, alive := time.Now(), 0
		err := kinds(get(t, conn, "/api/stream", "").Body, func(kind string) bool {
			if kind == "alive" {
				alive++
			}
			return alive == 20
		})
		if took := time.Since(began).Round(time.Second); err != nil || took != 5*time.Minute {
			t.Errorf("%d signs of life in %s, %v", alive, took, err)
		}
	})
}

// Whoever may not come in any more does not go on watching either.
func TestLiveConnectionsEndWithTheirToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, l, stop := served(t, &server.Options{})
		defer stop()
		text := r.token(t, "red", store.ScopeRead)
		conn := l.dial()
		defer conn.Close()
		body := get(t, conn, "/api/stream", "Authorization: Bearer "+text+"\r\n").Body
		if err := kinds(body, func(kind string) bool { return kind == "alive" }); err != nil {
			t.Fatal(err)
		}
		if was, err := r.db.RevokeToken(t.Context(), strings.Split(text, "_")[1]); err != nil || !was {
			t.Fatal(was, err)
		}
		began := time.Now()
		err := kinds(body, func(string) bool { return time.Since(began) > time.Minute })
		if took := time.Since(began); !errors.Is(err, io.EOF) || took > 31*time.Second {
			t.Errorf("it goes on for %s, %v", took, err)
		}
	})
}

// The same over a WebSocket, whose code says why.
func TestWebSocketsEndWithTheirToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, l, stop := served(t, &server.Options{})
		defer stop()
		text := r.token(t, "red", store.ScopeRead)
		conn := l.socket(t, "/api/live", http.Header{"Authorization": {"Bearer " + text}})
		defer conn.CloseNow()
		if m := read(t, t.Context(), conn); m.Type != "snapshot" {
			t.Fatalf("first %+v", m)
		}
		if was, err := r.db.RevokeToken(t.Context(), strings.Split(text, "_")[1]); err != nil || !was {
			t.Fatal(was, err)
		}
		began := time.Now()
		for {
			_, _, err := conn.Read(t.Context())
			if err == nil {
				continue
			}
			if took := time.Since(began); websocket.CloseStatus(err) != server.StatusLoggedOut || took > 31*time.Second {
				t.Errorf("after %s: %v", took, err)
			}
			return
		}
	})
}

// Whoever reads too slowly for what happens is dropped, told so, and can come back for all
// that was missed.
func TestSlowClientsAreToldThatTheyAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, l, stop := served(t, &server.Options{Open: true})
		defer stop()
		id := r.submit(t, store.DefaultProject, "http://a.example/")
		run, tell := r.begin(t)
		tell(record.EventPhase, "opening")
		conn := l.socket(t, "/api/runs/"+id+"/live", nil)
		defer conn.CloseNow()
		last := read(t, t.Context(), conn).Seq
		raw := l.dial()
		defer raw.Close()
		body := get(t, raw, "/api/runs/"+id+"/stream", "").Body
		if err := kinds(body, func(kind string) bool { return kind == "snapshot" }); err != nil {
			t.Fatal(err)
		}
		const many = 1000
		events := make([]record.Event, many)
		for i := range events {
			events[i] = record.Event{Time: time.Now(), RunID: id, Phase: record.PhaseExplore, Kind: record.EventPhase, Message: fmt.Sprint(i)}
		}
		if err := r.db.AddEvents(t.Context(), store.Lease{RunID: run.ID, Number: run.Lease}, events); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second) // of the test's own time
		for {
			_, data, err := conn.Read(t.Context())
			if err != nil {
				if websocket.CloseStatus(err) != server.StatusTooSlow {
					t.Errorf("over a WebSocket: %v", err)
				}
				break
			}
			var m server.Message
			if err := json.Unmarshal(data, &m); err != nil {
				t.Fatal(err)
			}
			last = max(last, m.Seq)
		}
		if err := kinds(body, func(kind string) bool { return kind == "dropped" }); err != nil {
			t.Errorf("over a stream: %v", err)
		}
		again := l.socket(t, fmt.Sprintf("/api/runs/%s/live?after=%d", id, last), nil)
		defer again.CloseNow()
		m := read(t, t.Context(), again)
		if len(m.Events) == 0 || m.Events[0].ID != last+1 || m.Events[len(m.Events)-1].Message != fmt.Sprint(many-1) {
			t.Errorf("after coming back: %d events from %d on, not from %d", len(m.Events), m.Seq, last+1)
		}
	})
}

// bucket is evidence whose files can be read no longer than the request lasts that asked
// for them, as with one on another machine.
type bucket struct{ evidence.Store }

type object struct {
	io.ReadSeekCloser
	ctx context.Context
}

func (b bucket) Get(ctx context.Context, run, name string) (io.ReadCloser, error) {
	f, err := b.Store.Get(ctx, run, name)
	if err != nil {
		return nil, err
	}
	return object{f.(io.ReadSeekCloser), ctx}, nil
}

func (o object) Read(p []byte) (int, error) {
	if err := o.ctx.Err(); err != nil {
		return 0, err
	}
	return o.ReadSeekCloser.Read(p)
}

// A large file may take minutes, wherever it is kept.
func TestSlowDownloadsOfEvidence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := furnish(t, storetest.SQLite(t), &server.Options{Open: true})
		r.submit(t, store.DefaultProject, "http://a.example/")
		run, _ := r.begin(t)
		const size = 2 << 20
		if _, err := r.kept.Put(t.Context(), run.ID, evidence.AttemptName(int(run.Lease), "trace.json"), bytes.NewReader(make([]byte, size))); err != nil {
			t.Fatal(err)
		}
		door, err := server.New(r.queue, bucket{r.kept}, &server.Options{Open: true})
		if err != nil {
			t.Fatal(err)
		}
		r.door = door
		l, stop := r.serve(t)
		defer stop()
		conn := l.dial()
		defer conn.Close()
		body := get(t, conn, "/api/runs/"+run.ID+"/evidence/trace.json", "").Body
		got := 0
		for part := make([]byte, 64<<10); ; {
			n, err := io.ReadFull(body, part)
			if got += n; err != nil {
				break
			}
			time.Sleep(5 * time.Second) // of the test's own time
		}
		if got != size {
			t.Errorf("%d of %d bytes came", got, size)
		}
	})
}
