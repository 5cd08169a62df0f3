package evidence

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"
)

// masked stands where a secret stood.
const masked = "[redacted]"

// shortSecret is the length below which a value is no secret worth the name:
// masking "abc" would make holes in every log.
const shortSecret = 6

// Redactor takes secrets out of text before it is kept: values that are known
// to be secret, and whatever stands where secrets stand, in headers, in the
// credentials of addresses and in telling query parameters.
type Redactor struct {
	known *strings.Replacer // nil when nothing is known
}

// NewRedactor knows these values in the forms they take in text, in addresses
// and in JSON.
func NewRedactor(secrets []string) *Redactor {
	var forms []string
	for _, s := range secrets {
		if len(s) < shortSecret {
			continue
		}
		quoted, _ := json.Marshal(s) // a string always can
		forms = append(forms, s, url.QueryEscape(s), url.PathEscape(s), strings.Trim(string(quoted), `"`))
	}
	// The longest first: one value may be the beginning of another.
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	for _, f := range slices.Compact(forms) {
		pairs = append(pairs, f, masked)
	}
	r := &Redactor{}
	if len(pairs) > 0 {
		r.known = strings.NewReplacer(pairs...)
	}
	return r
}

// isText tells by its name whether a file can hold secrets as text.
func isText(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".log", ".txt", ".json", ".jsonl", ".har", ".html", ".md", ".xml", ".csv", ".yaml", ".yml", "":
		return true
	}
	return false
}

// Redact returns the file without its secrets; pictures and video come back as
// they are.
func (r *Redactor) Redact(name string, data []byte) []byte {
	if !isText(name) {
		return data
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".json", ".har":
		if out, ok := r.redactJSON(data); ok {
			return out
		}
	}
	return []byte(r.text(string(data)))
}

// mask takes out the values that are known.
func (r *Redactor) mask(s string) string {
	if r.known == nil {
		return s
	}
	return r.known.Replace(s)
}

// redactJSON works on the strings of a document and leaves everything else as
// it was written, order and spacing included. Fields with a telling name lose
// their text; so do the values of name and value pairs, as archives of the
// network have them, and of all cookies. It reports whether the data was JSON.
func (r *Redactor) redactJSON(data []byte) ([]byte, bool) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var (
		out   bytes.Buffer
		done  int
		stack []*level
	)
	for {
		from := int(dec.InputOffset())
		tok, err := dec.Token()
		if err != nil {
			if len(stack) > 0 || from == 0 || len(bytes.TrimSpace(data[from:])) > 0 {
				return nil, false
			}
			break
		}
		to := int(dec.InputOffset())
		var top *level
		if len(stack) > 0 {
			top = stack[len(stack)-1]
		}
		switch t := tok.(type) {
		case json.Delim:
			switch t {
			case '{', '[':
				stack = append(stack, top.open(t == '{'))
			default:
				stack = stack[:len(stack)-1]
				if len(stack) > 0 {
					stack[len(stack)-1].next()
				}
			}
		case string:
			clean := top.clean(r, t)
			if clean != t {
				start := from + bytes.IndexByte(data[from:to], '"')
				quoted, _ := json.Marshal(clean) // a string always can
				out.Write(data[done:start])
				out.Write(quoted)
				done = to
			}
		default:
			top.next()
		}
	}
	out.Write(data[done:])
	return out.Bytes(), true
}

// level is an object or a list that is being read.
type level struct {
	object  bool
	key     string
	isKey   bool   // the next string is a key
	named   string // the value of "name" in this object
	cookies bool   // everything below belongs to cookies
}

func (l *level) open(object bool) *level {
	below := &level{object: object, isKey: object}
	if l != nil {
		below.cookies = l.cookies || strings.EqualFold(l.key, "cookies")
	}
	return below
}

// next is called after a value.
func (l *level) next() {
	if l != nil && l.object {
		l.isKey = true
	}
}

func (l *level) clean(r *Redactor, s string) string {
	if l == nil || !l.object {
		return r.text(s)
	}
	if l.isKey {
		l.key, l.isKey = s, false
		return r.mask(s)
	}
	l.isKey = true
	switch {
	case l.key == "name":
		l.named = s
	case l.key == "value" && (l.cookies || secretName(l.named)):
		return blank(s)
	case secretName(l.key) && !harmless(l.key):
		return blank(s)
	}
	return r.text(s)
}

func blank(s string) string {
	if s == "" {
		return s
	}
	return masked
}
