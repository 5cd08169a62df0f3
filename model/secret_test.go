package model_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/model"
)

func TestSecretDoesNotPrint(t *testing.T) {
	const raw = "sk-ant-test-0123456789abcdef"
	key := model.Secret(raw)
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "key", key, "in", struct{ Key model.Secret }{key})
	data, err := json.Marshal(map[string]any{"key": key, "in": []model.Secret{key}})
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%s %v %+v %#v %q %x", key, key, struct{ K model.Secret }{key}, struct{ K model.Secret }{key}, key, key) + string(data) + log.String()
	if strings.Contains(text, raw) || strings.Contains(text, fmt.Sprintf("%x", raw)) {
		t.Errorf("it is in %s", text)
	}
	if key.Reveal() != raw || model.Secret("").String() != "" {
		t.Error("a secret lost its value")
	}
}

func TestScrub(t *testing.T) {
	key := model.Secret("very+special/key=1")
	for _, text := range []string{
		"failed with very+special/key=1",
		"GET /?k=very%2Bspecial%2Fkey%3D1",
		"Incorrect API key provided: sk-proj-abcdEFGH1234. You can find",
		"Authorization: Bearer abcdefghijklmnop",
		`{"x-api-key": "abcdefghijklmnop"}`,
		"https://host/v1?key=abcdefghijklmnop&x=1",
		"AIzaSyA1234567890abcdefghij",
	} {
		got := model.Scrub(text, key)
		for _, part := range []string{"special", "abcdEFGH", "abcdefgh", "SyA123"} {
			if strings.Contains(got, part) {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
	if plain := "the key was not pressed; task skipped"; model.Scrub(plain, key) != plain {
		t.Errorf("plain words became %q", model.Scrub(plain, key))
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "3", 3 * time.Second},
		{"Retry-After", "0.5", 500 * time.Millisecond},
		{"Retry-After", "Sun, 15 Nov 2026 12:00:30 GMT", 30 * time.Second},
		{"Retry-After", "Sun, 15 Nov 2026 11:00:30 GMT", 0},
		{"Retry-After", "soon", 0},
		{"Retry-After", "-5", 0},
		{"Retry-After-Ms", "250", 250 * time.Millisecond},
	} {
		if got := model.RetryAfter(http.Header{tc.name: {tc.value}}, now); got != tc.want {
			t.Errorf("%s: %s is %v, want %v", tc.name, tc.value, got, tc.want)
		}
	}
}
