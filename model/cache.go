package model

import (
	"container/list"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Key names a request to a model by everything that can change the answer.
func Key(name string, req *Request) string {
	// Marshalling cannot fail: the request is plain data, and raw JSON that
	// is broken would have been refused before.
	data, err := json.Marshal(req)
	if err != nil {
		data = fmt.Appendf(nil, "%#v", req)
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", name)
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// CacheOptions says where answers are kept.
type CacheOptions struct {
	// Entries is how many are kept in memory (256).
	Entries int
	// Dir, when set, keeps them on disk too, without limit, one file each.
	// Files are readable by their owner only.
	Dir string
}

// Cache keeps answers by request. A gateway has none unless it is given one.
// Safe for use by many goroutines.
type Cache struct {
	entries int
	dir     string

	mu    sync.Mutex
	order *list.List // of *cached, most recently used first
	byKey map[string]*list.Element
}

type cached struct {
	key  string
	resp *Response
}

// NewCache is an empty cache, or one with what its folder holds.
func NewCache(opts *CacheOptions) (*Cache, error) {
	if opts == nil {
		opts = &CacheOptions{}
	}
	c := &Cache{entries: opts.Entries, dir: opts.Dir, order: list.New(), byKey: map[string]*list.Element{}}
	if c.entries <= 0 {
		c.entries = 256
	}
	if c.dir != "" {
		if err := os.MkdirAll(c.dir, 0o700); err != nil {
			return nil, fmt.Errorf("open response cache: %w", err)
		}
	}
	return c, nil
}

func (c *Cache) get(key string) *Response {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.byKey[key]; ok {
		c.order.MoveToFront(at)
		return at.Value.(*cached).resp.clone()
	}
	if c.dir == "" {
		return nil
	}
	data, err := os.ReadFile(filepath.Join(c.dir, key+".json"))
	if err != nil {
		return nil
	}
	var resp Response
	if json.Unmarshal(data, &resp) != nil {
		return nil // a broken file is as good as none: the call is made
	}
	c.keep(key, &resp)
	return resp.clone()
}

func (c *Cache) put(key string, resp *Response) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(key, resp.clone())
	if c.dir == "" {
		return nil
	}
	data, err := json.Marshal(resp)
	if err != nil {
		return fmt.Errorf("write response cache: %w", err)
	}
	path := filepath.Join(c.dir, key+".json")
	if err := os.WriteFile(path+".part", data, 0o600); err != nil {
		return fmt.Errorf("write response cache: %w", err)
	}
	if err := os.Rename(path+".part", path); err != nil {
		return fmt.Errorf("write response cache: %w", err)
	}
	return nil
}

func (c *Cache) keep(key string, resp *Response) {
	if at, ok := c.byKey[key]; ok {
		at.Value.(*cached).resp = resp
		c.order.MoveToFront(at)
		return
	}
	c.byKey[key] = c.order.PushFront(&cached{key: key, resp: resp})
	for c.order.Len() > c.entries {
		last := c.order.Back()
		delete(c.byKey, last.Value.(*cached).key)
		c.order.Remove(last)
	}
}

func (r *Response) clone() *Response {
	out := *r
	out.Message.Parts = slices.Clone(r.Message.Parts)
	return &out
}
