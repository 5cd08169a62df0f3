package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/playtest-dev/playtest/agent/tool"
)

// Memory is what was done for a task that was carried out.
type Memory struct {
	Goal    string        `json:"goal"`
	URL     string        `json:"url"`
	Actions []Action      `json:"actions"`
	Claim   *tool.Closing `json:"claim,omitempty"`
}

// Cache keeps memories by a key that stands for a goal, a page and the tools at
// hand. It is used by one task at a time, and by many agents.
type Cache interface {
	// Load is the memory, or nil when there is none.
	Load(key string) (*Memory, error)
	Save(key string, m *Memory) error
}

// NewCache is a cache in memory.
func NewCache() Cache { return &inMemory{kept: map[string]*Memory{}} }

type inMemory struct {
	mu   sync.Mutex
	kept map[string]*Memory
}

func (c *inMemory) Load(key string) (*Memory, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept[key], nil
}

func (c *inMemory) Save(key string, m *Memory) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept[key] = m
	return nil
}

// CacheIn is a cache in a folder, one file a task, readable by its owner only.
// Values of variables are not in it.
func CacheIn(dir string) (Cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open agent cache: %w", err)
	}
	return folder(dir), nil
}

type folder string

func (f folder) path(key string) string { return filepath.Join(string(f), key+".json") }

func (f folder) Load(key string) (*Memory, error) {
	data, err := os.ReadFile(f.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read agent cache: %w", err)
	}
	var m Memory
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("read agent cache: %w", err)
	}
	return &m, nil
}

func (f folder) Save(key string, m *Memory) error {
	data, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("write agent cache: %w", err)
	}
	part := f.path(key) + ".part"
	if err := os.WriteFile(part, data, 0o600); err != nil {
		return fmt.Errorf("write agent cache: %w", err)
	}
	if err := os.Rename(part, f.path(key)); err != nil {
		return fmt.Errorf("write agent cache: %w", err)
	}
	return nil
}

// key names a task on a page: its goal, where it begins without what follows ?
// and #, and what it may be done with.
func (a *Agent) key(goal string) string {
	at := a.opts.Start
	if u, err := url.Parse(at); err == nil {
		u.RawQuery, u.Fragment, u.User = "", "", nil
		at = u.String()
	}
	data, err := json.Marshal([]any{goal, at, toolNames(a.known), slices.Sorted(maps.Keys(a.opts.Variables)), a.opts.System, a.opts.Instructions})
	if err != nil {
		return "" // texts can be written
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// recall does again what was done for the same task before. An action that can
// no longer be done as it was is healed: its tool is asked once more, which
// finds the element anew. It reports whether the task is done; if not, the
// model goes on from where the replay ended.
func (t *task) recall(ctx context.Context, goal string) bool {
	a := t.agent
	if a.opts.Cache == nil || t.order.fresh {
		return false
	}
	memory, err := a.opts.Cache.Load(a.key(goal))
	if err != nil || memory == nil || len(memory.Actions) == 0 {
		return false
	}
	whole := true
	for _, action := range memory.Actions {
		if err := t.again(ctx, action, a.run != nil); err != nil {
			whole = false
			break
		}
	}
	t.res.Steps = 0 // a replayed action is no turn of a model
	t.recalled(memory, whole)
	if !whole || t.order.schema != nil || ctx.Err() != nil {
		return false
	}
	if a.opts.Check != nil && held(ctx, a.opts.Check, a.page) != nil {
		t.talk.Done = append(t.talk.Done, "the check of the task found that it is not done")
		return false
	}
	t.res.Claim, t.stop = memory.Claim, Replayed
	return true
}

// recalled puts what was replayed into the conversation, so that a model that
// has to go on knows it.
func (t *task) recalled(memory *Memory, whole bool) {
	for _, action := range t.res.Actions {
		t.talk.Done = append(t.talk.Done, line(fmt.Sprintf("%s %s: %s", action.Tool, action.Arguments, orDone(action)), doneLength))
	}
	if !whole {
		t.talk.Done = append(t.talk.Done, fmt.Sprintf("(%d of the %d calls that did it the last time; the next one could not be made)", len(t.res.Actions), len(memory.Actions)))
	}
}

func orDone(action Action) string {
	if action.Error != "" {
		return "failed: " + action.Error
	}
	return "done again, as the last time this task was carried out"
}

// remember keeps what was done for a task that succeeded.
func (t *task) remember(goal string) {
	a := t.agent
	if a.opts.Cache == nil || t.order.fresh || !t.res.Success || t.stop != Closed && !t.healed {
		return
	}
	var kept []Action
	for _, action := range t.res.Actions {
		each, err := find(a.known, action.Tool)
		if err == nil && each.Kind == tool.Acts && action.Error == "" {
			kept = append(kept, action)
		}
	}
	// A cache that cannot be written costs the next run its model's time.
	_ = a.opts.Cache.Save(a.key(goal), &Memory{Goal: goal, URL: a.mask(a.opts.Start), Actions: kept, Claim: t.res.Claim})
}
