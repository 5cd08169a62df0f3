package evidence_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/internal/evidence"
)

// BenchmarkRedact goes through a megabyte of log and of network archive.
func BenchmarkRedact(b *testing.B) {
	var log, har strings.Builder
	har.WriteString("[")
	for i := 0; log.Len() < 1<<20; i++ {
		fmt.Fprintf(&log, "2026-11-15T12:00:00.000Z GET 200 12ms 3456B script http://localhost:8080/assets/level-%d/main.js?v=%d&seed=3\n", i, i)
	}
	for i := 0; har.Len() < 1<<20; i++ {
		if i > 0 {
			har.WriteString(",\n")
		}
		fmt.Fprintf(&har, `  {"method": "GET", "url": "http://localhost:8080/a/%d.js?v=1", "headers": [{"name": "Accept", "value": "*/*"}], "time": %d.25}`, i, i)
	}
	har.WriteString("]")
	r := evidence.NewRedactor([]string{"a-secret-that-is-not-there"})
	for name, data := range map[string][]byte{"console.log": []byte(log.String()), "network.har": []byte(har.String()), "zeros.log": make([]byte, 1<<20)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				r.Redact(name, data)
			}
		})
	}
}

// BenchmarkPut is what keeping one picture takes, on disk for good.
func BenchmarkPut(b *testing.B) {
	picture := bytes.Repeat([]byte("picture."), 100<<10/8)
	for name, at := range map[string]string{"folder": b.TempDir(), "bucket": os.Getenv("PLAYTEST_TEST_S3")} {
		b.Run(name, func(b *testing.B) {
			if at == "" {
				b.Skip("needs an S3 server: scripts/with-s3")
			}
			s, err := evidence.Open(at, nil)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			n := 0
			for b.Loop() {
				n++
				if _, err := s.Put(b.Context(), "bench", fmt.Sprintf("%d.png", n), bytes.NewReader(picture)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
