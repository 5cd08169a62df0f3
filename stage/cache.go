package stage

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/internal/variable"
)

// maxEntries bounds a cache; the oldest entries go first.
const maxEntries = 2000

// Cache keeps actions in a file, to be replayed without a model. Variables are
// kept by name, never by value. Safe for use by many goroutines.
type Cache struct {
	path string

	mu      sync.Mutex
	entries map[string]cacheEntry
}

type cacheEntry struct {
	Time    time.Time `json:"time"`
	Actions []Action  `json:"actions"`
}

// OpenCache reads the cache in a file, which need not exist yet. A file that
// cannot be understood is an error, not an empty cache.
func OpenCache(path string) (*Cache, error) {
	c := &Cache{path: path, entries: make(map[string]cacheEntry)}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open action cache: %w", err)
	}
	if err := json.Unmarshal(data, &c.entries); err != nil {
		return nil, fmt.Errorf("open action cache %s: %w", path, err)
	}
	return c, nil
}

// Len is how many instructions are kept.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries)
}

func (c *Cache) get(key string) ([]Action, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	return e.Actions, ok && len(e.Actions) > 0
}

// put keeps the actions of an instruction that was carried out whole. Ids are
// left out: they mean nothing in another snapshot.
func (c *Cache) put(key string, actions []Action) error {
	if len(actions) == 0 {
		return nil
	}
	kept := make([]Action, len(actions))
	for i, a := range actions {
		a.ElementID = ""
		if a.Target != nil {
			t := *a.Target
			t.ElementID = ""
			a.Target, a.Arguments = &t, []string{}
		}
		kept[i] = a
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries[key] = cacheEntry{Time: time.Now().UTC(), Actions: kept}
	for len(c.entries) > maxEntries {
		oldest := ""
		for k, e := range c.entries {
			if oldest == "" || e.Time.Before(c.entries[oldest].Time) {
				oldest = k
			}
		}
		delete(c.entries, oldest)
	}
	return c.save()
}

// save replaces the file at once, so that a reader never sees half of it.
func (c *Cache) save() error {
	data, err := json.MarshalIndent(c.entries, "", " ")
	if err != nil {
		return fmt.Errorf("save action cache: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(c.path), ".actions-*")
	if err != nil {
		return fmt.Errorf("save action cache: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), c.path)
	}
	if err != nil {
		return fmt.Errorf("save action cache: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// cacheKey is what an action is kept under: the instruction, the kind of
// address and the names of the variables.
func cacheKey(instruction, address string, o *ActOptions) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{
		strings.Join(strings.Fields(instruction), " "), pattern(address), o.Within, strings.Join(o.Ignore, " "), strings.Join(variable.Names(o.Variables), ","),
	}, "\n")))
	return hex.EncodeToString(sum[:12])
}

var varies = regexp.MustCompile(`^([0-9]+|[0-9a-fA-F-]{16,}|.*[0-9]{4,}.*)$`)

// pattern is an address with what differs between pages of the same kind taken
// out: numbers and ids in the path, the query and the fragment.
func pattern(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	parts := strings.Split(u.Path, "/")
	for i, p := range parts {
		if varies.MatchString(p) {
			parts[i] = "*"
		}
	}
	return u.Scheme + "://" + u.Host + strings.Join(parts, "/")
}
