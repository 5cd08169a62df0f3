package batch

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/internal/site"
)

// Bounds of what a source may name.
const (
	maxGames    = 10_000
	maxSource   = 16 << 20
	maxSitemaps = 50
	fetchLimit  = 30 * time.Second
)

// Game is one game of a batch.
type Game struct {
	// Name is what results are kept under; it is made of the address when a list
	// gives none.
	Name string `json:"name,omitempty"`
	// URL is an address, or the path of a folder, a zip file or a page.
	URL string `json:"url"`
	// Metadata is the path of what the game's author says about it.
	Metadata string `json:"metadata,omitempty"`
}

// Reader reads sources of games.
type Reader struct {
	// Stdin is read for the source "-".
	Stdin io.Reader
	// Client fetches sitemaps; http.DefaultClient when nil.
	Client *http.Client
	// Warn is told what was left out and why. It may be nil.
	Warn func(string)
}

// Read returns the games of all sources in order, each with a name of its own. A
// source is "-" for a list on stdin, the address of a game, the address or file
// of a sitemap (.xml, .xml.gz), a folder of games, one game of this machine, or a
// file with a list.
func (r *Reader) Read(ctx context.Context, sources ...string) ([]Game, error) {
	var all []Game
	for _, source := range sources {
		games, err := r.read(ctx, source)
		if err != nil {
			return nil, err
		}
		if all = append(all, games...); len(all) > maxGames {
			return nil, fmt.Errorf("there are more than %d games", maxGames)
		}
	}
	return named(all), nil
}

func (r *Reader) read(ctx context.Context, source string) ([]Game, error) {
	switch {
	case source == "-":
		return list(r.Stdin, "stdin", ".")
	case strings.Contains(source, "://"):
		if isSitemap(source) {
			return r.sitemap(ctx, source)
		}
		return []Game{{URL: source}}, nil
	}
	info, err := os.Stat(source)
	if err != nil {
		return nil, fmt.Errorf("there is no %s", source)
	}
	switch ext := strings.ToLower(filepath.Ext(source)); {
	case info.IsDir():
		return folder(source)
	case ext == ".zip" || ext == ".html" || ext == ".htm":
		return []Game{local(source)}, nil
	}
	f, err := os.Open(source)
	if err != nil {
		return nil, fmt.Errorf("read the list: %w", err)
	}
	defer f.Close()
	if isSitemap(source) {
		locations, more, err := parseSitemap(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", source, err)
		}
		if len(more) > 0 {
			return nil, fmt.Errorf("%s names other sitemaps: name its address instead, so that they can be fetched", source)
		}
		return addresses(locations), nil
	}
	return list(f, source, filepath.Dir(source))
}

func isSitemap(source string) bool {
	if u, err := url.Parse(source); err == nil {
		source = u.Path
	}
	source = strings.TrimSuffix(strings.ToLower(source), ".gz")
	return strings.HasSuffix(source, ".xml")
}

func addresses(locations []string) []Game {
	games := make([]Game, len(locations))
	for i, l := range locations {
		games[i] = Game{URL: l}
	}
	return games
}

// folder is the game in a folder, or the games in the folders and zip files of
// it. What holds no page is left out.
func folder(dir string) ([]Game, error) {
	if _, err := os.Stat(filepath.Join(dir, "index.html")); err == nil {
		return []Game{local(dir)}, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the folder of games: %w", err)
	}
	var games []Game
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		if strings.HasPrefix(e.Name(), ".") || !e.IsDir() && strings.ToLower(filepath.Ext(at)) != ".zip" {
			continue
		}
		b, err := site.Open(at)
		if err != nil {
			continue
		}
		if err := b.Close(); err != nil {
			return nil, fmt.Errorf("read the folder of games: %w", err)
		}
		games = append(games, local(at))
	}
	if len(games) == 0 {
		return nil, fmt.Errorf("%s holds no games: neither an index.html nor folders or zip files with one", dir)
	}
	return games, nil
}

// local is a game of this machine, with the metadata that lies in its folder.
func local(at string) Game {
	g := Game{Name: strings.TrimSuffix(filepath.Base(at), filepath.Ext(at)), URL: at}
	if abs, err := filepath.Abs(at); err == nil && (at == "." || at == "..") {
		g.Name = filepath.Base(abs)
	}
	for _, name := range []string{"playtest.yaml", "playtest.yml", "playtest.json"} {
		file := filepath.Join(at, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			g.Metadata = file
			break
		}
	}
	return g
}

// list reads games from JSON (an array of objects or of addresses, or one object
// a line) or from plain lines: an address, or a name and an address; a # begins
// a comment. Paths are relative to the list.
func list(in io.Reader, name, dir string) ([]Game, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxSource+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(data) > maxSource {
		return nil, fmt.Errorf("%s is larger than %d MB", name, maxSource>>20)
	}
	var games []Game
	switch trimmed := bytes.TrimSpace(data); {
	case len(trimmed) == 0:
		return nil, fmt.Errorf("%s names no games", name)
	case trimmed[0] == '[':
		games, err = jsonList(trimmed)
	case trimmed[0] == '{':
		games, err = jsonLines(trimmed)
	default:
		games, err = plainLines(data)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i, g := range games {
		if !strings.Contains(g.URL, "://") && !filepath.IsAbs(g.URL) {
			games[i].URL = filepath.Join(dir, g.URL)
			l := local(games[i].URL)
			if games[i].Name == "" {
				games[i].Name = l.Name
			}
			if g.Metadata == "" {
				games[i].Metadata = l.Metadata
			}
		}
		if g.Metadata != "" && !filepath.IsAbs(g.Metadata) {
			games[i].Metadata = filepath.Join(dir, g.Metadata)
		}
	}
	return games, nil
}

func jsonList(data []byte) ([]Game, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil {
		return nil, err
	}
	games := make([]Game, len(items))
	for i, item := range items {
		var err error
		if games[i], err = jsonGame(item); err != nil {
			return nil, fmt.Errorf("entry %d: %w", i+1, err)
		}
	}
	return games, nil
}

func jsonLines(data []byte) ([]Game, error) {
	var games []Game
	dec := json.NewDecoder(bytes.NewReader(data))
	for {
		var item json.RawMessage
		err := dec.Decode(&item)
		if errors.Is(err, io.EOF) {
			return games, nil
		}
		var g Game
		if err == nil {
			g, err = jsonGame(item)
		}
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", len(games)+1, err)
		}
		games = append(games, g)
	}
}

func jsonGame(item json.RawMessage) (Game, error) {
	var g Game
	if err := json.Unmarshal(item, &g.URL); err != nil {
		dec := json.NewDecoder(bytes.NewReader(item))
		dec.DisallowUnknownFields()
		g = Game{}
		if err := dec.Decode(&g); err != nil {
			return g, err
		}
	}
	if g.URL == "" {
		return g, errors.New("url is missing")
	}
	return g, nil
}

func plainLines(data []byte) ([]Game, error) {
	var games []Game
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 64<<10)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "#") {
			continue
		}
		line, _, _ = strings.Cut(line, " #")
		switch fields := strings.Fields(line); len(fields) {
		case 0:
		case 1:
			games = append(games, Game{URL: fields[0]})
		case 2:
			games = append(games, Game{Name: fields[0], URL: fields[1]})
		default:
			return nil, fmt.Errorf("line %d has more than a name and an address", n)
		}
	}
	return games, lines.Err()
}

type sitemapXML struct {
	XMLName xml.Name
	URLs    []struct {
		Loc string `xml:"loc"`
	} `xml:"url"`
	Sitemaps []struct {
		Loc string `xml:"loc"`
	} `xml:"sitemap"`
}

func parseSitemap(in io.Reader) (locations, more []string, err error) {
	body := bufio.NewReader(in)
	var plain io.Reader = body
	if magic, _ := body.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		if plain, err = gzip.NewReader(body); err != nil {
			return nil, nil, fmt.Errorf("unpack the sitemap: %w", err)
		}
	}
	var m sitemapXML
	if err := xml.NewDecoder(io.LimitReader(plain, maxSource)).Decode(&m); err != nil {
		return nil, nil, fmt.Errorf("this is no sitemap: %w", err)
	}
	if m.XMLName.Local != "urlset" && m.XMLName.Local != "sitemapindex" {
		return nil, nil, fmt.Errorf("this is no sitemap: it begins with <%s>", m.XMLName.Local)
	}
	for _, u := range m.URLs {
		locations = append(locations, strings.TrimSpace(u.Loc))
	}
	for _, s := range m.Sitemaps {
		more = append(more, strings.TrimSpace(s.Loc))
	}
	return locations, more, nil
}

// sitemap fetches a sitemap and those that it names. Only addresses of its own
// host count: whoever wrote it must not choose what this machine opens elsewhere.
func (r *Reader) sitemap(ctx context.Context, source string) ([]Game, error) {
	home, err := url.Parse(source)
	if err != nil {
		return nil, fmt.Errorf("the sitemap's address %q cannot be read", source)
	}
	queue, seen, foreign := []string{source}, map[string]bool{source: true}, 0
	own := func(address string) bool {
		u, err := url.Parse(address)
		same := err == nil && u.Host == home.Host && (u.Scheme == "http" || u.Scheme == "https")
		if !same {
			foreign++
		}
		return same
	}
	var found []string
	for len(queue) > 0 {
		if len(seen) > maxSitemaps {
			return nil, fmt.Errorf("%s names more than %d sitemaps", source, maxSitemaps)
		}
		next := queue[0]
		queue = queue[1:]
		locations, more, err := r.fetch(ctx, next)
		if err != nil {
			return nil, err
		}
		for _, l := range locations {
			if own(l) && len(found) <= maxGames {
				found = append(found, l)
			}
		}
		for _, m := range more {
			if own(m) && !seen[m] {
				seen[m] = true
				queue = append(queue, m)
			}
		}
	}
	if foreign > 0 && r.Warn != nil {
		r.Warn(fmt.Sprintf("%d addresses of %s are left out: they are not on its host", foreign, source))
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s names no pages of its host", source)
	}
	return addresses(found), nil
}

func (r *Reader) fetch(ctx context.Context, address string) (locations, more []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetchLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("fetch the sitemap: %w", err)
	}
	client := r.Client
	if client == nil {
		client = http.DefaultClient
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, nil, fmt.Errorf("fetch the sitemap: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, nil, fmt.Errorf("fetch the sitemap %s: status %d", address, res.StatusCode)
	}
	locations, more, err = parseSitemap(io.LimitReader(res.Body, maxSource))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", address, err)
	}
	return locations, more, nil
}

// named gives each game a name that no other one has.
func named(games []Game) []Game {
	used := map[string]bool{}
	out := slices.Clone(games)
	for i, g := range out {
		base := cut(g.Name)
		if base == "" {
			base = nameOf(g.URL)
		}
		name := base
		for n := 2; used[Folder(name)]; n++ {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		used[Folder(name)] = true
		out[i].Name = name
	}
	return out
}

// nameOf makes a name of an address: its last part that says something.
func nameOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "game"
	}
	for part := strings.Trim(u.Path, "/"); part != "" && part != "."; part = strings.Trim(path.Dir(part), "/") {
		last := path.Base(part)
		last = strings.TrimSuffix(strings.TrimSuffix(last, ".html"), ".htm")
		if last != "" && last != "index" && last != "." {
			return cut(last)
		}
	}
	if u.Host != "" {
		return cut(u.Host)
	}
	return "game"
}

func cut(name string) string {
	if r := []rune(name); len(r) > 80 {
		return string(r[:80])
	}
	return name
}
