package stage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/playtest-dev/playtest/browser/snapshot"
	"github.com/playtest-dev/playtest/internal/variable"
)

// Perform carries out an action that Observe found, or that was kept, without
// a model. An element that is not where it was is looked for by its selectors.
func (s *Stage) Perform(ctx context.Context, action Action, opts *ActOptions) (*Acted, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := options(opts)
	c := s.begin("perform")
	s.secrets.Add(o.Variables)
	done := &Acted{Actions: []Action{}}
	err := variable.Check(o.Variables)
	if err == nil {
		s.settle(ctx, c)
		_, err = s.replay(ctx, c, done, []Action{action}, &o)
	}
	done.URL = s.page.URL()
	done.Meta = c.end()
	if err != nil {
		return done, fmt.Errorf("perform: %w", err)
	}
	return done, nil
}

// replay carries out kept actions one after the other. It stops at the first
// that does not find its element as it was, or fails.
func (s *Stage) replay(ctx context.Context, c *call, done *Acted, steps []Action, o *ActOptions) (whole bool, err error) {
	for i, a := range steps {
		if i > 0 {
			s.settle(ctx, c)
		}
		snap, err := s.look(ctx, c, nil)
		if err != nil {
			return false, err
		}
		if !known(a.Method) {
			return false, &ActError{Action: a, Err: ErrMethod}
		}
		var node *snapshot.Node
		if a.ElementID != "" || a.Selector != "" || !onPage(a.Method) {
			if node, err = s.locate(ctx, &a, snap); err != nil {
				return false, &ActError{Action: a, Err: err}
			}
		}
		if a.Method == DragAndDrop {
			if a.Target == nil {
				return false, &ActError{Action: a, Err: ErrArgument}
			}
			to, err := s.locate(ctx, a.Target, snap)
			if err != nil {
				return false, &ActError{Action: *a.Target, Err: err}
			}
			a.Arguments = []string{to.ID}
		}
		if err := s.perform(ctx, c, a, node, snap, done, o); err != nil {
			return false, err
		}
	}
	return true, nil
}

// addressOf is that of the document which a node is in.
func (s *Stage) addressOf(n *snapshot.Node) string {
	if n != nil {
		if _, frame := n.Backend(); frame != nil {
			return frame.URL()
		}
	}
	return s.page.URL()
}

// perform carries out one action on a node of the snapshot, and notes it as done.
func (s *Stage) perform(ctx context.Context, c *call, a Action, node *snapshot.Node, snap *snapshot.Snapshot, done *Acted, o *ActOptions) error {
	began := time.Now()
	args := make([]string, len(a.Arguments))
	for i, arg := range a.Arguments {
		v, used, err := variable.Fill(arg, o.Variables)
		if err == nil {
			err = variable.Bound(used, s.opts.Origins, s.addressOf(node))
		}
		if err != nil {
			return &ActError{Action: a, Err: err}
		}
		args[i] = v
	}
	before, windows := s.rest.watch(ctx), s.windows()
	h := &hand{stage: s, action: a, args: args, node: node, snap: snap, files: o.Files}
	err := h.do(ctx)
	if err == nil {
		settled := s.rest.after(ctx, before, s.opts.Settle)
		c.meta.Settled = c.meta.Settled && settled
		err = s.follow(ctx, a, windows, s.rest.watch(ctx).changes != before.changes, done)
	}
	c.meta.Timings.Action += time.Since(began)
	s.step("act", a.Method+" on "+a.Description, began)
	if err == nil {
		done.Actions = append(done.Actions, a)
		return nil
	}
	var already *ActError
	if errors.As(err, &already) {
		already.Sent = already.Sent || h.sent
		return already
	}
	return &ActError{Action: a, Sent: h.sent, Err: err}
}
