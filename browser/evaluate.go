package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/playtest-dev/playtest/browser/cdp"
)

// World is the name of the isolated world our own scripts run in.
const World = "playtest"

// ErrFrameDetached is what calls get on a frame that is gone.
var ErrFrameDetached = errors.New("frame detached")

// ErrNavigated is what an expression gets that was running when its document made
// way for another one.
var ErrNavigated = errors.New("the document was replaced meanwhile")

// EvalError is an exception that an evaluated expression threw.
type EvalError struct {
	Text   string // message with the JavaScript stack
	Line   int    // in the expression, from 1
	Column int
}

func (e *EvalError) Error() string { return "evaluating: " + e.Text }

// Evaluate evaluates an expression in the main frame's own world; see
// Frame.Evaluate.
func (p *Page) Evaluate(ctx context.Context, expr string, out any) error {
	return p.MainFrame().Evaluate(ctx, expr, out)
}

// Evaluate evaluates an expression in the frame's own world and decodes its
// value as JSON into out, unless that is nil. A promise is awaited. What the
// expression throws comes back as *EvalError. The call deadline applies; give
// long promises more with cdp.WithTimeout. A value of more than 8 MB is an error,
// since a page decides what there is to say.
func (f *Frame) Evaluate(ctx context.Context, expr string, out any) error {
	return f.evaluate(ctx, expr, out, f.mainWorld)
}

// EvaluateIsolated does the same in a world of our own, which sees the
// document but none of the page's variables and is not seen by them.
func (f *Frame) EvaluateIsolated(ctx context.Context, expr string, out any) error {
	return f.evaluate(ctx, expr, out, f.isolatedWorld)
}

// EvaluateObject evaluates in the world of EvaluateIsolated and leaves the value
// there, for calls of the protocol that take an object. It belongs to the group,
// and the caller lets go of it with Runtime.releaseObjectGroup in the session.
func (f *Frame) EvaluateObject(ctx context.Context, expr, group string) (session *Session, object string, err error) {
	s, w, err := f.isolatedWorld(ctx)
	if err != nil {
		return nil, "", fmt.Errorf("evaluating: %w", err)
	}
	params := runtime.EvaluateParams{Expression: expr + ownSource, Silent: ptr(true), ObjectGroup: group}
	if w.unique != "" {
		params.UniqueContextID = w.unique
	} else {
		params.ContextID = runtime.ExecutionContextID(w.id)
	}
	res, err := protocol.Call(ctx, s, runtime.Evaluate, params)
	if err != nil {
		return nil, "", fmt.Errorf("evaluating: %w", err)
	}
	if d := res.ExceptionDetails; d != nil {
		return nil, "", evalError(d)
	}
	if res.Result == nil {
		return s, "", nil
	}
	return s, string(res.Result.ObjectID), nil
}

// sourceName begins the comment that names a script. Ours are named, so that they
// are not taken for code of the page wherever that is looked at.
const (
	sourceName = "\n//# sourceURL="
	ownSource  = sourceName + "playtest:evaluate"
)

func (f *Frame) evaluate(ctx context.Context, expr string, out any, world func(context.Context) (*Session, execution, error)) error {
	if !strings.Contains(expr, sourceName) {
		expr += ownSource
	}
	for try := 0; ; try++ {
		s, w, err := world(ctx)
		if err != nil {
			return fmt.Errorf("evaluating: %w", err)
		}
		params := runtime.EvaluateParams{
			Expression: expr, AwaitPromise: ptr(true), ReturnByValue: ptr(out != nil), Silent: ptr(true),
		}
		if w.unique != "" {
			params.UniqueContextID = w.unique
		} else {
			params.ContextID = runtime.ExecutionContextID(w.id)
		}
		res, err := protocol.Call(ctx, s, runtime.Evaluate, params)
		if err != nil {
			if try < 3 && contextMissing(err) {
				f.forget(s, w)
				continue // the document changed before the expression ran
			}
			if cutOff(err) {
				err = fmt.Errorf("%w: %w", ErrNavigated, err)
			}
			return fmt.Errorf("evaluating: %w", err)
		}
		return result(s, res, out)
	}
}

// contextMissing tells an expression that did not run because its world was
// already gone from one that was cut off, which must not run twice.
func contextMissing(err error) bool {
	var perr *cdp.Error
	return errors.As(err, &perr) && (strings.Contains(perr.Message, "uniqueContextId not found") ||
		strings.Contains(perr.Message, "Cannot find context with specified id"))
}

func cutOff(err error) bool {
	var perr *cdp.Error
	return errors.As(err, &perr) && strings.Contains(perr.Message, "Inspected target navigated or closed")
}

func result(s *Session, res runtime.EvaluateResult, out any) error {
	if d := res.ExceptionDetails; d != nil {
		return evalError(d)
	}
	o := res.Result
	if o == nil {
		return nil
	}
	if out == nil {
		if o.ObjectID != "" {
			s.Start(runtime.CommandReleaseObject, runtime.ReleaseObjectParams{ObjectID: o.ObjectID})
		}
		return nil
	}
	if o.UnserializableValue != "" {
		return unserializable(string(o.UnserializableValue), out)
	}
	if len(o.Value) == 0 {
		return nil // undefined leaves out as it is
	}
	if err := json.Unmarshal(o.Value, out); err != nil {
		return fmt.Errorf("evaluating: decoding value: %w", err)
	}
	return nil
}

// unserializable stores the numbers JSON cannot write.
func unserializable(v string, out any) error {
	var n float64
	switch v {
	case "NaN":
		n = math.NaN()
	case "Infinity":
		n = math.Inf(1)
	case "-Infinity":
		n = math.Inf(-1)
	case "-0":
		n = math.Copysign(0, -1)
	default: // a bigint such as 12n
		return json.Unmarshal([]byte(strings.TrimSuffix(v, "n")), out)
	}
	switch out := out.(type) {
	case *float64:
		*out = n
	case *any:
		*out = n
	default:
		return fmt.Errorf("evaluating: %s does not fit into %T", v, out)
	}
	return nil
}

func evalError(d *runtime.ExceptionDetails) *EvalError {
	e := &EvalError{Text: d.Text, Line: int(d.LineNumber) + 1, Column: int(d.ColumnNumber) + 1}
	if d.Exception != nil {
		text := d.Exception.Description
		if text == "" {
			text = describe(d.Exception)
		}
		if text != "" {
			e.Text = text
		}
	}
	e.Text = clip(e.Text, maxText)
	return e
}

// mainWorld waits for the frame's own world to exist.
func (f *Frame) mainWorld(ctx context.Context) (*Session, execution, error) {
	return f.world(ctx, func(c execution) bool { return c.main })
}

func (f *Frame) world(ctx context.Context, match func(execution) bool) (*Session, execution, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, cdp.DefaultTimeout, fmt.Errorf("frame has no document: %w", cdp.ErrTimeout))
	defer cancel()
	var s *Session
	var found execution
	err := f.page.waitFor(ctx, func() (bool, error) {
		switch {
		case f.page.err != nil:
			return false, f.page.err
		case f.detached:
			return false, ErrFrameDetached
		case f.page.crashed || f.session.crashed:
			return false, ErrCrashed
		}
		for _, c := range f.session.contexts {
			if c.frame == f.id && match(c) {
				s, found = f.session, c
				return true, nil
			}
		}
		return false, nil
	})
	return s, found, err
}

func (f *Frame) isolatedWorld(ctx context.Context) (*Session, execution, error) {
	isolated := func(c execution) bool { return !c.main && c.world == World }
	f.page.mu.Lock()
	s := f.session
	for _, c := range s.contexts {
		if c.frame == f.id && isolated(c) {
			f.page.mu.Unlock()
			return s, c, nil
		}
	}
	f.page.mu.Unlock()
	if _, _, err := f.mainWorld(ctx); err != nil { // there is a document to make a world in
		return nil, execution{}, err
	}
	s = f.Session()
	res, err := protocol.Call(ctx, s, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: protocol.FrameID(f.id), WorldName: World})
	if err != nil {
		return nil, execution{}, err
	}
	return s, execution{id: int64(res.ExecutionContextID), frame: f.id, world: World}, nil
}

func (f *Frame) forget(s *Session, w execution) {
	f.page.mu.Lock()
	delete(s.contexts, w.id)
	f.page.mu.Unlock()
}
