package computer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/variable"
)

// typed is what the keys of an action write: values in for names, where these
// may go. A name that is no variable is an error: it would be typed as it is.
func (r *run) typed(ctx context.Context, action *Action) (string, error) {
	if len(r.opts.Variables) == 0 {
		return action.Text, nil
	}
	text, used, err := variable.Fill(action.Text, r.opts.Variables)
	if err != nil || !slices.ContainsFunc(used, func(name string) bool { return r.opts.VariableOrigins[name] != nil }) {
		return text, err
	}
	address, err := r.hand.target(ctx, action)
	if err != nil {
		return "", fmt.Errorf("where this would be typed could not be seen: %w", err)
	}
	return text, variable.Bound(used, r.opts.VariableOrigins, address)
}

// focusLimit bounds the looking for the document that has the keyboard, in each
// frame.
const focusLimit = time.Second

// target is the address of the document that an action would write into.
func (h *hand) target(ctx context.Context, a *Action) (string, error) {
	if a.Kind == Fill {
		probe := *a
		e, err := h.tree.element(ctx, &probe)
		if err != nil {
			return "", err
		}
		defer e.Release()
		return e.Frame().URL(), nil
	}
	var found []*browser.Frame
	for _, frame := range h.screen.page.Frames() {
		bound, cancel := context.WithTimeout(ctx, focusLimit)
		var here bool
		// A document whose focus is in a frame of its own has handed the keyboard on. A
		// frame that does not answer cannot be told from one that has no focus: if it has
		// it, no other claims it.
		err := frame.EvaluateIsolated(bound, `document.hasFocus() && !/^(i?frame|fencedframe|object|embed)$/i.test(document.activeElement?.tagName ?? '')`, &here)
		cancel()
		if err == nil && here {
			found = append(found, frame)
		}
	}
	if len(found) != 1 {
		return "", errors.New("no single document has the keyboard; click the field first")
	}
	return found[0].URL(), nil
}

// mask puts names in for values.
func (c *Computer) mask(text string) string { return c.secrets.Text(text) }

// approve asks the caller about something that the model wants done.
func (r *run) approve(ctx context.Context, name string, arguments any, acts bool) error {
	if r.opts.Approve == nil {
		return nil
	}
	data, err := json.Marshal(arguments)
	if err != nil {
		return fmt.Errorf("read the arguments of %s: %w", name, err)
	}
	if err := r.opts.Approve(ctx, agent.Proposed{Step: r.step.N, Tool: name, Arguments: data, PageURL: r.mask(r.page.URL()), Acts: acts}); err != nil {
		return fmt.Errorf("%w: %w", agent.ErrNotApproved, err)
	}
	return nil
}
