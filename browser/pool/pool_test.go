package pool_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/pool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// limit is for the whole of a test, generous: others use the machine, too.
const limit = 3 * time.Minute

func open(t *testing.T, opts *pool.Options) (*pool.Pool, context.Context) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	p := pool.New(opts)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p, ctx
}

func borrow(ctx context.Context, t *testing.T, p *pool.Pool) (*browser.Browser, func()) {
	t.Helper()
	b, release, err := p.Borrow(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return b, release
}

// visit does what a run does: a context, a page, a script.
func visit(ctx context.Context, b *browser.Browser) error {
	c, err := b.NewContext(ctx, nil)
	if err != nil {
		return err
	}
	page, err := c.NewPage(ctx, nil)
	if err == nil {
		var six int
		if err = page.Evaluate(ctx, "2 * 3", &six); err == nil && six != 6 {
			err = errors.New("the page cannot count")
		}
	}
	return errors.Join(err, c.Close(ctx))
}

func TestPoolSharesAndReplaces(t *testing.T) {
	p, ctx := open(t, &pool.Options{Browsers: 1, PerBrowser: 2, Runs: 3})
	b1, release1 := borrow(ctx, t, p)
	b2, release2 := borrow(ctx, t, p)
	if b1 != b2 {
		t.Error("two runs that fit into one browser got two")
	}
	// It is full: the next one waits.
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	if _, _, err := p.Borrow(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("borrowing of a full pool: %v", err)
	}
	cancel()
	release1()
	release1() // no harm
	b3, release3 := borrow(ctx, t, p)
	if b3 != b1 {
		t.Error("the third run got another browser")
	}
	release3()
	// That was its third run: it is replaced, and ends with its last run.
	b4, release4 := borrow(ctx, t, p)
	if b4 == b1 {
		t.Error("the fourth run got the old browser")
	}
	if err := visit(ctx, b2); err != nil {
		t.Errorf("a run in a browser on its way out: %v", err)
	}
	release2()
	select {
	case <-b1.Done():
	case <-ctx.Done():
		t.Error("the old browser lives on after its last run")
	}
	if err := visit(ctx, b4); err != nil {
		t.Error(err)
	}
	release4()
	if st := p.Stats(); st.Launched != 2 || st.Retired != 1 || st.Lent != 0 || st.Browsers != 1 {
		t.Errorf("%+v", st)
	}
}

// A run that may take its browser down gets one that nobody else has, beside the
// others, and nobody gets that one after it.
func TestPoolLendsABrowserAlone(t *testing.T) {
	p, ctx := open(t, &pool.Options{Browsers: 1, PerBrowser: 2})
	shared, release := borrow(ctx, t, p)
	alone, releaseAlone := borrow(pool.Alone(ctx), t, p)
	if alone == shared {
		t.Error("it shares a browser")
	}
	neighbour, releaseNeighbour := borrow(ctx, t, p)
	if neighbour == alone {
		t.Error("another run got into the browser of a run that is to be alone")
	}
	// Two at a time are as many as there may be.
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	if _, _, err := p.Borrow(pool.Alone(short)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a third browser: %v", err)
	}
	cancel()
	releaseAlone()
	select {
	case <-alone.Done():
	case <-ctx.Done():
		t.Error("the browser lives on after the run that had it alone")
	}
	release()
	releaseNeighbour()
	// One that nobody has will do.
	idle, releaseIdle := borrow(pool.Alone(ctx), t, p)
	if idle != shared {
		t.Error("a browser was launched although one was idle")
	}
	releaseIdle()
	if st := p.Stats(); st.Browsers != 0 || st.Launched != 2 || st.Retired != 2 {
		t.Errorf("%+v", st)
	}
}

func TestPoolOutlivesACrash(t *testing.T) {
	p, ctx := open(t, &pool.Options{Browsers: 2, PerBrowser: 1})
	doomed, release := borrow(ctx, t, p)
	other, releaseOther := borrow(ctx, t, p)
	defer releaseOther()
	if doomed == other {
		t.Fatal("two runs share a browser for one")
	}
	if err := syscall.Kill(doomed.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-doomed.Done()
	if err := visit(ctx, other); err != nil {
		t.Errorf("a run in another browser: %v", err)
	}
	next, releaseNext := borrow(ctx, t, p)
	defer releaseNext()
	if err := visit(ctx, next); err != nil {
		t.Errorf("the run after a crash: %v", err)
	}
	release()
	if st := p.Stats(); st.Crashed != 1 || st.Browsers != 2 {
		t.Errorf("%+v", st)
	}
}

func TestPoolReplacesWhatHasGrown(t *testing.T) {
	p, ctx := open(t, &pool.Options{MaxMemory: 1 << 20}) // every Chromium is larger
	b, release := borrow(ctx, t, p)
	release()
	<-b.Done()
	again, release := borrow(ctx, t, p)
	defer release()
	if again == b {
		t.Error("a browser that has grown too large was lent again")
	}
}

func TestPoolManyRuns(t *testing.T) {
	p, ctx := open(t, &pool.Options{Browsers: 2, PerBrowser: 2, Runs: 5})
	var wg sync.WaitGroup
	var now, most atomic.Int32
	for range 16 {
		wg.Go(func() {
			b, release, err := p.Borrow(ctx)
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			n := now.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			if err := visit(ctx, b); err != nil {
				t.Error(err)
			}
			now.Add(-1)
		})
	}
	wg.Wait()
	st := p.Stats()
	if most.Load() > 8 || st.Lent != 0 || st.Launched < 4 || st.Launched > 8 {
		t.Errorf("%d at a time, %+v", most.Load(), st)
	}
}

func TestPoolErrors(t *testing.T) {
	broken := errors.New("no Chromium here")
	p, ctx := open(t, &pool.Options{Launch: func(context.Context) (*browser.Browser, error) { return nil, broken }})
	for range 3 { // a failure takes no place
		if _, _, err := p.Borrow(ctx); !errors.Is(err, broken) {
			t.Errorf("borrow: %v", err)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, _, err := p.Borrow(ctx); !errors.Is(err, pool.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
