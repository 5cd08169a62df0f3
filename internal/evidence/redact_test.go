package evidence_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/internal/evidence"
)

func TestRedact(t *testing.T) {
	known := []string{"hunter2hunter2", `quo"ted&secret`, "short"}
	tests := []struct{ name, file, in, want string }{
		{"a known value", "console.log", "the key is hunter2hunter2.", "the key is [redacted]."},
		{"a known value in an address", "network.log", "GET /?x=quo%22ted%26secret", "GET /?x=[redacted]"},
		{"a known value in JSON", "a.json", `{"a":"quo\"ted\u0026secret"}`, `{"a":"[redacted]"}`},
		{"short values are no secrets", "console.log", "short cut", "short cut"},
		{"a header", "console.log", "Authorization: Basic dXNlcjpwYXNz\nnext", "Authorization: [redacted]\nnext"},
		{"a cookie", "console.log", "set-cookie: id=1; path=/\nnext", "set-cookie: [redacted]\nnext"},
		{"a vendor's header", "console.log", "x-goog-api-key: abc", "x-goog-api-key: [redacted]"},
		{"a header in a page", "report.html", "<p>Cookie: a=b</p><p>x</p>", "<p>Cookie: [redacted]</p><p>x</p>"},
		{"a bearer", "console.log", "sent bearer abcdef123456 there", "sent bearer [redacted] there"},
		{"credentials in an address", "network.log", "GET https://user:pass@host/a@b", "GET https://[redacted]@host/a@b"},
		{"a token in an address", "network.log", "GET http://h/?a=1&access_token=xyz&b=2#c", "GET http://h/?a=1&access_token=[redacted]&b=2#c"},
		{"a signed link", "network.log", "http://h/o?X-Amz-Credential=AK%2F1&X-Amz-Signature=00ff", "http://h/o?X-Amz-Credential=[redacted]&X-Amz-Signature=[redacted]"},
		{"a token in a page", "report.html", `<a href="?a=1&amp;token=xyz">`, `<a href="?a=1&amp;token=[redacted]">`},
		{"a vendor's key", "console.log", "using sk-" + strings.Repeat("a1", 12), "using [redacted]"},
		{"a signed token", "console.log", "t eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSM", "t [redacted]"},
		{"the name of a key", "record.json", `{"key":"ArrowLeft","keys":["KeyA"]}`, `{"key":"ArrowLeft","keys":["KeyA"]}`},
		{"a report's own fields", "report.json", `{"sessionId":"20261115-1","url":"/?sessionid=1"}`, `{"sessionId":"20261115-1","url":"/?sessionid=[redacted]"}`},
		{"a telling field", "a.json", `{ "apiKey" : "x1", "n":1.50 }`, `{ "apiKey" : "[redacted]", "n":1.50 }`},
		{"a header of an archive", "network.har", `[{"name":"authorization","value":"x"},{"name":"Accept","value":"y"}]`, `[{"name":"authorization","value":"[redacted]"},{"name":"Accept","value":"y"}]`},
		{"cookies of an archive", "network.har", `{"cookies":[{"name":"a","value":"x"}],"url":"/?sid=1"}`, `{"cookies":[{"name":"a","value":"[redacted]"}],"url":"/?sid=[redacted]"}`},
		{"JSON that is none", "a.json", `{"a": /?token=x`, `{"a": /?token=[redacted]`},
		{"a parameter on its own", "console.log", "login with password=abc, then token='x y'", "login with password=[redacted] then token='[redacted] y'"},
		{"a script's cookie", "console.log", `document.cookie = "id=1"`, `document.cookie = "[redacted]"`},
		{"talk about it", "console.log", "basic authentication is required: http://host/cookies", "basic authentication is required: http://host/cookies"},
		{"a picture", "a.png", "hunter2hunter2", "hunter2hunter2"},
		{"ordinary text", "console.log", "score 10; key=ArrowUp at http://localhost:80/?level=2&seed=1", "score 10; key=ArrowUp at http://localhost:80/?level=2&seed=1"},
	}
	r := evidence.NewRedactor(known)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(r.Redact(tt.file, []byte(tt.in))); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestRedactLeavesReportsAlone: nothing in an ordinary report is a secret.
func TestRedactLeavesReportsAlone(t *testing.T) {
	pages, err := filepath.Glob("../report/testdata/*.golden")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no reports to look at: %v", err)
	}
	r := evidence.NewRedactor(nil)
	for _, name := range pages {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Redact("report.html", data); !bytes.Equal(got, data) {
			t.Errorf("%s was changed", name)
		}
	}
}

// TestRedactLong: a page decides what is in a log, and must not be able to
// make reading it slow.
func TestRedactLong(t *testing.T) {
	r := evidence.NewRedactor([]string{"hunter2hunter2"})
	for _, part := range []string{"sk-", "eyJ.", "eyJ-", "a=", "://", "bearer ", "cookie", "&token=", "cookie:", "x-key:\"", "[", `{"a":`} {
		for _, name := range []string{"a.log", "a.json"} {
			long := strings.Repeat(part, (256<<10)/len(part))
			if got := string(r.Redact(name, []byte(long+" hunter2hunter2"))); strings.Contains(got, "hunter2") {
				t.Errorf("%s of many %q: the end is not masked", name, part)
			}
		}
	}
}

func FuzzRedactJSON(f *testing.F) {
	f.Add(`{"a":"b","name":"token","value":"secret-value"}`)
	f.Add(`[1,"x",{"cookies":[{"value":"secret-value"}]},null,true]`)
	f.Add(`"secret-value"`)
	f.Add(` [ "é\ud800" , {} ] `)
	r := evidence.NewRedactor([]string{"secret-value"})
	f.Fuzz(func(t *testing.T, in string) {
		out := r.Redact("a.json", []byte(in))
		if json.Valid([]byte(in)) && !json.Valid(out) {
			t.Errorf("%q became %q, which is not JSON", in, out)
		}
		if strings.Contains(string(out), "secret-value") {
			t.Errorf("%q became %q", in, out)
		}
	})
}
