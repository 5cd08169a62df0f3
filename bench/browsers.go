package bench

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/playtest-dev/playtest/bench/witness"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/games/fault"
)

// Browser is one Chromium for the whole benchmark, started again when it has died: that is one game's loss only.
type Browser struct {
	opts *browser.LaunchOptions
	mu   sync.Mutex
	live *browser.Browser
	seen map[string]witness.Signs // of healthy games, by name, seed and how late it was
}

// NewBrowser prepares a browser; it is launched when it is first asked for.
func NewBrowser(opts *browser.LaunchOptions) *Browser {
	return &Browser{opts: opts, seen: map[string]witness.Signs{}}
}

// Get returns a living browser.
func (b *Browser) Get(ctx context.Context) (*browser.Browser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.live != nil {
		select {
		case <-b.live.Done():
			_ = b.live.Close()
			b.live = nil
		default:
			return b.live, nil
		}
	}
	live, err := browser.Launch(ctx, b.opts)
	if err != nil {
		return nil, fmt.Errorf("start a browser for the benchmark: %w", err)
	}
	b.live = live
	return live, nil
}

// Close ends the browser.
func (b *Browser) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.live == nil {
		return nil
	}
	err := b.live.Close()
	b.live = nil
	return err
}

// Witness looks whether a fault can be seen in a game, by the package's own means. It fits Bench.Witness.
func (b *Browser) Witness(ctx context.Context, e Entrant, f fault.Fault, seed int64) (observable bool, how string, err error) {
	healthy, err := b.healthy(ctx, e, seed, f.Within)
	if err != nil {
		return false, "", err
	}
	// A busy machine makes games late. Nobody is believed to have seen nothing before the second look.
	for range 2 {
		faulty, err := b.observe(ctx, e, f.Name, seed, &witness.Options{
			Late: witness.Late(f.Shows), Slow: f.Kind != fault.Broken, Insist: slices.Contains(f.Shows, "stuck"),
			Playable: slices.Equal(f.Shows, []string{"playable"}), Area: healthy.Area, Within: f.Within,
		})
		if err != nil {
			return false, "", err
		}
		if observable, how = witness.Judge(f.Shows, healthy, faulty); observable {
			break
		}
	}
	return observable, how, nil
}

// healthy observes a game once for all of its faults that come as late.
func (b *Browser) healthy(ctx context.Context, e Entrant, seed int64, within time.Duration) (witness.Signs, error) {
	key := fmt.Sprintf("%s@%d after %s", e.Name, seed, within)
	b.mu.Lock()
	signs, ok := b.seen[key]
	b.mu.Unlock()
	if ok {
		return signs, nil
	}
	// All that is said of its faults rests on this look.
	for range 3 {
		var err error
		if signs, err = b.observe(ctx, e, "", seed, &witness.Options{Within: within}); err != nil {
			return signs, err
		}
		if signs.Playable() {
			break
		}
	}
	b.mu.Lock()
	b.seen[key] = signs
	b.mu.Unlock()
	return signs, nil
}

func (b *Browser) observe(ctx context.Context, e Entrant, name string, seed int64, opts *witness.Options) (witness.Signs, error) {
	live, err := b.Get(ctx)
	if err != nil {
		return witness.Signs{}, err
	}
	url, release, err := e.Address(name, seed)
	if err != nil {
		return witness.Signs{}, err
	}
	defer release()
	return witness.Observe(ctx, live, url, e.Game, opts)
}
