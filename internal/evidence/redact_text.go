package evidence

import (
	"net/url"
	"strings"
)

// text takes out what is known and what stands where secrets stand. Logs can be
// long: it is one pass that looks closer only at the few bytes that secrets
// follow.
func (r *Redactor) text(s string) string {
	s = r.mask(s)
	var out strings.Builder
	done := 0
	for i := 0; i < len(s); {
		from, to := secretAt(s, i)
		if from >= to {
			i++
			continue
		}
		out.WriteString(s[done:from])
		out.WriteString(masked)
		done, i = to, to
	}
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
}

// secretAt finds the secret that the byte at i announces, if any.
func secretAt(s string, i int) (from, to int) {
	switch s[i] {
	case ':':
		if strings.HasPrefix(s[i:], "://") {
			return i + 3, userEnd(s, i+3)
		}
		return headerValue(s, i)
	case '=':
		if from, to := parameterValue(s, i); from < to {
			return from, to
		}
		return headerValue(s, i)
	case ' ':
		return afterScheme(s, i)
	case 's', 'A', 'g', 'x', 'e':
		if i == 0 || !wordByte(s[i-1]) {
			return i, shaped(s, i)
		}
	}
	return 0, 0
}

func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// userEnd is the end of a name and password before an address's host.
func userEnd(s string, from int) int {
	const longest = 500
	at := 0
	for i := from; i < len(s) && i < from+longest; i++ {
		switch s[i] {
		case '@':
			at = i
		case '/', '?', '#', ' ', '\t', '\r', '\n', '"', '\'', '<', '>', '\\':
			return at
		}
	}
	return at
}

// maxSecretName is longer than any name of a parameter or header of interest.
const maxSecretName = 64

// nameBefore returns the name that ends before the byte at i.
func nameBefore(s string, i int, more string) (name string, start int) {
	start = i
	for start > 0 && i-start < maxSecretName && (wordByte(s[start-1]) || strings.IndexByte(more, s[start-1]) >= 0) {
		start--
	}
	return s[start:i], start
}

// parameterValue is the value after the = of a parameter with a telling name,
// in an address or a form, or on its own.
func parameterValue(s string, i int) (from, to int) {
	name, start := nameBefore(s, i, ".%[]-")
	if name == "" || !secretName(name) {
		return 0, 0
	}
	listed := start > 0 && strings.IndexByte("?&;", s[start-1]) >= 0
	if !listed && harmless(name) {
		return 0, 0 // key=ArrowLeft
	}
	from = i + 1
	if from < len(s) && !listed && (s[from] == '"' || s[from] == '\'') {
		from++
	}
	return from, until(s, from, "&;#\"'<>\\ \t\r\n")
}

// headerValue is the rest of the line after the name of a header.
func headerValue(s string, i int) (from, to int) {
	end := i
	for end > 0 && i-end < 3 && strings.IndexByte(" \"'", s[end-1]) >= 0 {
		end--
	}
	name, _ := nameBefore(s, end, "-")
	if !secretHeader(name) {
		return 0, 0
	}
	from = i + 1
	for from < len(s) && from-i < 4 && strings.IndexByte(" \t\"'", s[from]) >= 0 {
		from++
	}
	return from, until(s, from, "\r\n\"'<\\")
}

func until(s string, from int, stops string) int {
	if n := strings.IndexAny(s[from:], stops); n >= 0 {
		return from + n
	}
	return len(s)
}

// secretHeader tells the headers that carry secrets, vendors' own included.
func secretHeader(name string) bool {
	if len(name) < len("cookie") {
		return false
	}
	name = strings.ToLower(name)
	switch name {
	case "authorization", "proxy-authorization", "cookie", "set-cookie", "api-key":
		return true
	}
	own, found := strings.CutPrefix(name, "x-")
	return found && (strings.Contains(own, "key") || strings.Contains(own, "token") || strings.Contains(own, "secret") || strings.Contains(own, "auth"))
}

// afterScheme is the token after the space that follows Bearer or Basic.
func afterScheme(s string, i int) (from, to int) {
	scheme, _ := nameBefore(s, i, "")
	basic := strings.EqualFold(scheme, "basic")
	if !basic && !strings.EqualFold(scheme, "bearer") {
		return 0, 0
	}
	from = i + 1
	to = from + run(s[from:], "+/=.~-")
	if to-from < 8 || basic && !strings.ContainsAny(s[from:to], "=0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		return 0, 0 // basic authentication
	}
	return from, to
}

// run is the length of the word at the beginning, more bytes allowed.
func run(s, more string) int {
	n := 0
	for n < len(s) && (wordByte(s[n]) || strings.IndexByte(more, s[n]) >= 0) {
		n++
	}
	return n
}

// keyShapes are beginnings of vendors' keys, with how long the rest is at least.
var keyShapes = []struct {
	prefix string
	least  int
}{
	{"sk-", 16}, {"AIza", 30}, {"AKIA", 16}, {"ASIA", 16}, {"ghp_", 30}, {"gho_", 30}, {"ghu_", 30}, {"ghs_", 30}, {"ghr_", 30},
	{"xoxa-", 10}, {"xoxb-", 10}, {"xoxp-", 10}, {"xoxr-", 10}, {"xoxs-", 10},
}

// shapeLook is how far a shape is looked at. A page could write beginnings
// without end.
const shapeLook = 300

// shaped is the end of a key or signed token at i that is known by its shape.
func shaped(s string, i int) int {
	look := s[i:min(len(s), i+shapeLook)]
	if strings.HasPrefix(look, "eyJ") {
		word := look[:run(look, ".-")]
		if _, rest, found := strings.Cut(word, "."); found && strings.HasPrefix(rest, "eyJ") {
			return i + run(s[i:], ".-")
		}
		return 0
	}
	for _, k := range keyShapes {
		if !strings.HasPrefix(look, k.prefix) {
			continue
		}
		word := look[:run(look, "-")]
		if len(word) >= len(k.prefix)+k.least && strings.ContainsAny(word, "0123456789") {
			return i + run(s[i:], "-")
		}
	}
	return 0
}

// secretNames are names of parameters, headers and fields whose values are
// nobody's business, in lower case and without separators.
var secretNames = map[string]bool{
	"authorization": true, "proxyauthorization": true, "cookie": true, "setcookie": true,
	"token": true, "accesstoken": true, "refreshtoken": true, "idtoken": true, "authtoken": true, "sessiontoken": true, "csrftoken": true, "xsrftoken": true,
	"key": true, "apikey": true, "xapikey": true, "xauthtoken": true, "xgoogapikey": true, "accesskey": true, "secretkey": true, "privatekey": true,
	"auth": true, "secret": true, "clientsecret": true, "password": true, "passwd": true, "pwd": true, "credential": true, "credentials": true,
	"sig": true, "signature": true, "jwt": true, "sessionid": true, "sid": true, "phpsessid": true, "jsessionid": true,
	"xamzsignature": true, "xamzcredential": true, "xamzsecuritytoken": true, "xgoogsignature": true, "xgoogcredential": true,
	"awsaccesskeyid": true, "awssecretaccesskey": true, "googleaccessid": true, "subscriptionkey": true,
}

func secretName(name string) bool {
	if strings.Contains(name, "%") {
		if clear, err := url.QueryUnescape(name); err == nil {
			name = clear
		}
	}
	return secretNames[strings.ToLower(strings.Map(func(c rune) rune {
		if c == '-' || c == '_' || c == '.' {
			return -1
		}
		return c
	}, name))]
}

// harmless tells names that are telling only in an address: a field that is
// called key holds the name of a key, and a report's sessionId is its run.
func harmless(name string) bool {
	return strings.EqualFold(name, "key") || strings.EqualFold(name, "sessionId")
}
