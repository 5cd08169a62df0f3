package model

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/url"
	"regexp"
	"strings"
)

const hidden = "[secret]"

// Secret is a key that prints as [secret] wherever it is formatted, logged or
// marshalled. Only Reveal gives it away, and only adapters call that.
type Secret string

// Reveal is the key itself.
func (s Secret) Reveal() string { return string(s) }

func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hidden
}

// GoString keeps %#v quiet.
func (s Secret) GoString() string { return s.String() }

// MarshalText keeps JSON and its like quiet.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue keeps slog quiet.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// keyShapes are the forms in which keys of the vendors we know turn up in
// texts that did not come from us, vendors' error messages above all.
var keyShapes = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`\bsk-[a-z0-9_*.…-]{8,}`,           // OpenAI, Anthropic, OpenRouter
	`\bAIza[a-z0-9_*.-]{10,}`,          // Google
	`\bAQ\.[a-z0-9_-]{20,}`,            // Google, newer
	`\bbearer\s+[a-z0-9._~+/*-]{8,}=*`, // any Authorization header
	`\b(x-api-key|x-goog-api-key|api[_-]?key)["']?\s*[:=]\s*["']?[^\s"',;&]{8,}`, // headers, query strings, JSON
	`([?&]key=)[^\s"'&]{8,}`, // Google's query form
}, "|"))

// Scrub removes the given secrets, in the forms they travel in, and anything
// that looks like a key.
func Scrub(text string, secrets ...Secret) string {
	for _, s := range secrets {
		// A very short "key" of a local server would tear words apart.
		if len(s) < 6 {
			continue
		}
		raw := s.Reveal()
		for _, form := range []string{raw, url.QueryEscape(raw), base64.StdEncoding.EncodeToString([]byte(raw))} {
			text = strings.ReplaceAll(text, form, hidden)
		}
	}
	return keyShapes.ReplaceAllString(text, hidden)
}

// scrubJSON scrubs every string of a JSON document, and leaves it one.
func scrubJSON(doc []byte, secrets []Secret) ([]byte, error) {
	var value any
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	return json.Marshal(scrubValue(value, secrets))
}

func scrubValue(value any, secrets []Secret) any {
	switch v := value.(type) {
	case string:
		return Scrub(v, secrets...)
	case []any:
		for i := range v {
			v[i] = scrubValue(v[i], secrets)
		}
	case map[string]any:
		for name, inner := range v {
			v[name] = scrubValue(inner, secrets)
		}
	}
	return value
}
