package stage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/browser/snapshot"
	"github.com/playtest-dev/playtest/internal/variable"
	"github.com/playtest-dev/playtest/model"
)

// Defaults of Options.
const (
	// DefaultTokens is the size of the tree that act and observe send.
	DefaultTokens = 10_000
	// defaultExtractTokens is the size of a part that extract sends.
	defaultExtractTokens = 24_000
	// defaultSettle is how long a page may take to come to rest.
	defaultSettle = 3 * time.Second
)

// Options tune a Stage.
type Options struct {
	// Probe is the probe that was set in the page before it loaded. With it
	// painted text and the objects of game engines can be acted on.
	Probe *probe.Probe
	// Cache keeps actions, to be replayed without a model. Nil keeps none.
	Cache *Cache
	// NoHeal fails at once instead of looking again when an action cannot be
	// carried out.
	NoHeal bool
	// Tokens and ExtractTokens limit what is sent of a page at a time; zero is
	// 10,000 and 24,000.
	Tokens, ExtractTokens int
	// Settle is how long to wait for a page to come to rest before going on
	// anyway, 3 s if zero.
	Settle time.Duration
	// Origins binds variables to sites: one that is named here is typed only into
	// documents of an origin in its list, such as https://example.com or
	// https://*.example.com. The others may go anywhere.
	Origins map[string][]string
	// Ignore are the selectors of what is never shown to a model: advertisements,
	// or text of visitors.
	Ignore []string
	// OnStep is told what is being done. It must not block.
	OnStep func(Step)
}

// Step is one thing that was done on the way.
type Step struct {
	Time   time.Time     `json:"time"`
	Verb   string        `json:"verb"` // "settle", "snapshot", "ask", "act", "heal", "cache"
	Detail string        `json:"detail"`
	Took   time.Duration `json:"took"`
}

// Stage is a page to act on. Its calls are made one at a time.
type Stage struct {
	page   *browser.Page
	reader *snapshot.Reader
	run    *model.Run
	opts   Options
	rest   rest
	close  func() error // of a stage that Open made

	mu      sync.Mutex // one call at a time
	secrets variable.Mask
}

// New makes a stage of a page. The model may be nil: then everything that needs
// none works, and the rest says model.ErrNoModel.
func New(ctx context.Context, page *browser.Page, m model.Model, opts *Options) (*Stage, error) {
	s := &Stage{}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Tokens <= 0 {
		s.opts.Tokens = DefaultTokens
	}
	if s.opts.ExtractTokens <= 0 {
		s.opts.ExtractTokens = defaultExtractTokens
	}
	if s.opts.Settle <= 0 {
		s.opts.Settle = defaultSettle
	}
	run, err := model.Direct(m)
	if err != nil && !errors.Is(err, model.ErrNoModel) {
		return nil, fmt.Errorf("new stage: %w", err)
	}
	s.run = run
	s.use(ctx, page)
	return s, nil
}

// Snapshot reads the page, once it has settled, without any model.
func (s *Stage) Snapshot(ctx context.Context) (*snapshot.Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.begin("snapshot")
	s.settle(ctx, c)
	return s.look(ctx, c, nil)
}

// View reads what lies in the window, once the page has settled. On a long page
// it takes a part of the time of Snapshot; see snapshot.Reader.CaptureView.
func (s *Stage) View(ctx context.Context) (*snapshot.Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.begin("view")
	s.settle(ctx, c)
	if len(s.opts.Ignore) > 0 {
		return s.look(ctx, c, nil) // what is to be left out is found in the whole page
	}
	return s.reader.CaptureView(ctx)
}

// Meta is what is known of a call besides its result.
type Meta struct {
	ActionID string      `json:"actionId"`
	Calls    int         `json:"calls"` // to the model
	Usage    model.Usage `json:"usage"`
	Cost     model.Cost  `json:"cost"`
	Cache    CacheState  `json:"cache"`
	// Sent is what the model was told about the page, call by call.
	Sent []string `json:"sent,omitempty"`
	// Settled is false when the page was still busy when it was read.
	Settled bool    `json:"settled"`
	Timings Timings `json:"timings"`
}

// Timings is where the time went.
type Timings struct {
	Settle   time.Duration `json:"settle"`
	Snapshot time.Duration `json:"snapshot"`
	Model    time.Duration `json:"model"`
	Action   time.Duration `json:"action"`
	Total    time.Duration `json:"total"`
}

// CacheState says what a cache had to do with a result.
type CacheState string

// The states.
const (
	CacheOff    CacheState = "off"
	CacheMiss   CacheState = "miss"
	CacheHit    CacheState = "hit"
	CacheHealed CacheState = "healed" // it had the action, the page had changed
)

var actionCount atomic.Int64

// call is one call of Observe, Act or Extract on its way.
type call struct {
	meta  Meta
	began time.Time
}

func (s *Stage) begin(verb string) *call {
	return &call{
		meta:  Meta{ActionID: verb + "-" + strconv.FormatInt(actionCount.Add(1), 10), Cost: model.Cost{Known: true}, Cache: CacheOff, Settled: true},
		began: time.Now(),
	}
}

func (c *call) end() Meta {
	c.meta.Timings.Total = time.Since(c.began)
	return c.meta
}

func (s *Stage) step(verb, detail string, began time.Time) {
	if s.opts.OnStep != nil {
		s.opts.OnStep(Step{Time: began, Verb: verb, Detail: s.secrets.Text(detail), Took: time.Since(began)})
	}
}

// look reads the page without what is to be left out.
func (s *Stage) look(ctx context.Context, c *call, ignore []string) (*snapshot.Snapshot, error) {
	began := time.Now()
	snap, err := s.reader.CaptureWithout(ctx, slices.Concat(ignore, s.opts.Ignore))
	c.meta.Timings.Snapshot += time.Since(began)
	if err != nil {
		return nil, err
	}
	s.step("snapshot", strconv.Itoa(snap.Len())+" nodes", began)
	return snap, nil
}
