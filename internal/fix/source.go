package fix

import (
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Source is a game's own files. A nil Source knows none.
type Source struct {
	// Files is the game's folder.
	Files fs.FS
	// Base is the address that the folder was served at.
	Base string

	once  sync.Once
	names []string            // of all files
	texts map[string][]string // lines of the text files
	order []string            // of texts
}

// What is read of a folder. A build of a large engine is not searched: its names
// are not the author's.
const (
	maxFiles = 500
	maxText  = 1 << 20
	maxTotal = 8 << 20
)

var textual = []string{".html", ".htm", ".js", ".mjs", ".css", ".json", ".svg"}

func (s *Source) read() {
	s.once.Do(func() {
		s.texts = map[string][]string{}
		total := 0
		// What cannot be read is not there for us: advice is given without it.
		_ = fs.WalkDir(s.Files, ".", func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil
			case d.IsDir():
				if p != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules") {
					return fs.SkipDir
				}
				return nil
			case len(s.names) >= maxFiles:
				return fs.SkipAll
			case strings.HasPrefix(d.Name(), "."):
				return nil
			}
			s.names = append(s.names, p)
			info, err := d.Info()
			if err != nil || info.Size() > maxText || total+int(info.Size()) > maxTotal || !slices.Contains(textual, strings.ToLower(path.Ext(p))) {
				return nil
			}
			data, err := fs.ReadFile(s.Files, p)
			if err == nil {
				total += len(data)
				s.texts[p] = strings.Split(string(data), "\n")
				s.order = append(s.order, p)
			}
			return nil
		})
	})
}

// file is the path within the folder that an address stands for; elsewhere it is
// the address's own.
func (s *Source) file(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	u.RawQuery, u.Fragment = "", ""
	p := u.Path
	if s != nil {
		base, err := url.Parse(s.Base)
		if err != nil || base.Host != u.Host {
			return u.String()
		}
		p = strings.TrimPrefix(p, strings.TrimSuffix(base.Path, "/"))
	}
	p = strings.TrimPrefix(p, "/")
	if p == "" || strings.HasSuffix(p, "/") {
		p += "index.html"
	}
	return p
}

// line is a line of a file, from 1.
func (s *Source) line(file string, n int) string {
	if s == nil {
		return ""
	}
	s.read()
	if lines := s.texts[file]; n >= 1 && n <= len(lines) {
		return lines[n-1]
	}
	return ""
}

// nearLine is the line with the word that is nearest to n, 0 when there is none.
func (s *Source) nearLine(file string, n int, word string) int {
	s.read()
	best, least := 0, 1<<30
	for i, line := range s.texts[file] {
		if d := max(n-i-1, i+1-n); d < least && strings.Contains(line, word) {
			best, least = i+1, d
		}
	}
	return best
}

// spot is a line of a file.
type spot struct {
	file string
	line int
	text string
}

// mention is where a file is asked for, and in which words: its path, or its
// name where the path is put together.
func (s *Source) mention(file string) (at *spot, as string) {
	if s == nil {
		return nil, ""
	}
	s.read()
	for _, as := range []string{file, path.Base(file)} {
		for _, f := range s.order {
			for i, line := range s.texts[f] {
				if strings.Contains(line, as) {
					return &spot{f, i + 1, line}, as
				}
			}
		}
	}
	return nil, ""
}

// nearFile is the file that was probably meant: the same but for case, the same
// name in another folder, or a similar name in the same one.
func (s *Source) nearFile(file string) string {
	if s == nil {
		return ""
	}
	s.read()
	for _, n := range s.names {
		if strings.EqualFold(n, file) && n != file {
			return n
		}
	}
	var same []string
	for _, n := range s.names {
		if strings.EqualFold(path.Base(n), path.Base(file)) && n != file {
			same = append(same, n)
		}
	}
	if len(same) == 1 {
		return same[0]
	}
	var beside []string
	for _, n := range s.names {
		if path.Dir(n) == path.Dir(file) && strings.EqualFold(path.Ext(n), path.Ext(file)) {
			beside = append(beside, n)
		}
	}
	return nearest(file, beside)
}

var (
	identifier  = regexp.MustCompile(`[A-Za-z_$][\w$]{2,}`)
	declaration = regexp.MustCompile(`\b(?:var|let|const|function|class)\s+([A-Za-z_$][\w$]*)|[,;{(]\s*([A-Za-z_$][\w$]*)\s*=[^=]|import\s*\{?\s*([A-Za-z_$][\w$]*)`)
	idOf        = regexp.MustCompile(`\bid\s*=\s*["']?([\w-]+)`)
)

// declared are the names that scripts declare.
func (s *Source) declared(but string) []string { return s.find(declaration, but) }

// words are all identifiers of the game's scripts.
func (s *Source) words(but string) []string { return s.find(identifier, but) }

// ids are those of the elements.
func (s *Source) ids() []string { return s.find(idOf, "") }

func (s *Source) find(what *regexp.Regexp, but string) []string {
	s.read()
	seen := map[string]bool{but: true, "": true}
	var out []string
	for _, f := range s.order {
		for _, line := range s.texts[f] {
			for _, m := range what.FindAllStringSubmatch(line, -1) {
				word := strings.Join(m[1:], "")
				if len(m) == 1 {
					word = m[0]
				}
				if !seen[word] {
					seen[word] = true
					out = append(out, word)
				}
			}
		}
	}
	return out
}

// nearest is the one word that is so similar that it was probably meant, "" when
// there is none, or more than one.
func nearest(word string, known []string) string {
	best, least, ties := "", 3, 0
	if len(word) < 5 {
		least = 2
	}
	for _, k := range known {
		d := distance(strings.ToLower(word), strings.ToLower(k))
		switch {
		case d < least:
			best, least, ties = k, d, 0
		case d == least && best != "":
			ties++
		}
	}
	if ties > 0 {
		return ""
	}
	return best
}

// distance counts the letters that were left out, added, mistaken or swapped with
// their neighbour.
func distance(a, b string) int {
	if max(len(a)-len(b), len(b)-len(a)) > 2 {
		return 3
	}
	before, last, now := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		now[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		before, last, now = last, now, before
	}
	return last[len(b)]
}
