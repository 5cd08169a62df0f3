package stage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/snapshot"
	"github.com/playtest-dev/playtest/internal/variable"
)

// ActOptions tune one Act or Perform.
type ActOptions struct {
	// Variables are put in for %name% after the model has answered.
	Variables map[string]string
	// Files are the only files that may be uploaded, by path.
	Files []string
	// Within is the id or selector of the element to look in, and Ignore the
	// selectors of what to leave out; see browser.Locator for selectors.
	Within string
	Ignore []string
	// NoCache does not look into the cache and writes nothing to it.
	NoCache bool
}

// Acted is what came of an action.
type Acted struct {
	// Actions are those that were carried out, in order.
	Actions []Action `json:"actions"`
	// Healed is set when the first try could not be carried out.
	Healed bool `json:"healed,omitempty"`
	// Opened are the tabs that were opened, in the last of which the stage goes
	// on; Refused are those that were wanted and not allowed.
	Opened  []string `json:"opened,omitempty"`
	Refused []string `json:"refused,omitempty"`
	URL     string   `json:"url"` // of the page afterwards
	Meta    Meta     `json:"meta"`
}

// actReply is what a model answers to an instruction.
type actReply struct {
	Found bool `json:"found"`
	reply
	TwoStep bool `json:"twoStep"`
	Part    int  `json:"part" jsonschema:"another part of the page to look at, 0 for none"`
}

var actSchema = mustSchema[actReply]("action")

// maxParts is how often a model may ask to see more of a page.
const maxParts = 6

// Act carries out one instruction: "click the red button". It waits until the
// page is at rest, asks the model once, and acts. An action that could not be
// carried out, and of which nothing has reached the page, is looked for once
// more. When the action opened a menu in which the instruction goes on, the
// second step follows.
func (s *Stage) Act(ctx context.Context, instruction string, opts *ActOptions) (*Acted, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := options(opts)
	c := s.begin("act")
	s.secrets.Add(o.Variables)
	done, err := s.act(ctx, c, instruction, &o)
	done.URL = s.page.URL()
	done.Meta = c.end()
	if err != nil {
		return done, fmt.Errorf("act: %w", err)
	}
	return done, nil
}

func options(opts *ActOptions) ActOptions {
	if opts == nil {
		return ActOptions{}
	}
	return *opts
}

func (s *Stage) act(ctx context.Context, c *call, instruction string, o *ActOptions) (*Acted, error) {
	done := &Acted{Actions: []Action{}}
	if strings.TrimSpace(instruction) == "" {
		return done, fmt.Errorf("the instruction is empty: %w", ErrArgument)
	}
	if err := variable.Check(o.Variables); err != nil {
		return done, err
	}
	s.settle(ctx, c)
	cache := s.opts.Cache
	if o.NoCache {
		cache = nil
	}
	key := cacheKey(instruction, s.page.URL(), o)
	cached := false
	if cache != nil {
		c.meta.Cache = CacheMiss
		if steps, ok := cache.get(key); ok {
			cached = true
			whole, err := s.replay(ctx, c, done, steps, o)
			if whole {
				c.meta.Cache = CacheHit
				return done, nil
			}
			if sent(err) || len(done.Actions) > 0 || ctx.Err() != nil {
				// Part of it has happened: starting again could do it twice.
				return done, err
			}
		}
	}
	if err := s.decide(ctx, c, instruction, done, o); err != nil {
		return done, err
	}
	if cached {
		c.meta.Cache = CacheHealed
	}
	if cache != nil && !slices.ContainsFunc(done.Actions, s.reveals) {
		if err := cache.put(key, done.Actions); err != nil {
			s.step("cache", err.Error(), time.Now())
		}
	}
	return done, nil
}

// decide asks the model what to do and does it.
func (s *Stage) decide(ctx context.Context, c *call, instruction string, done *Acted, o *ActOptions) error {
	snap, err := s.look(ctx, c, o.Ignore)
	if err != nil {
		return err
	}
	answer, err := s.choose(ctx, c, snap, instruction, "", o)
	if err != nil {
		return err
	}
	action, err := s.attempt(ctx, c, snap, answer, done, o)
	if err != nil && !s.opts.NoHeal && !sent(err) && ctx.Err() == nil {
		began := time.Now()
		done.Healed = true
		s.settle(ctx, c)
		if snap, err = s.look(ctx, c, o.Ignore); err != nil {
			return err
		}
		note := fmt.Sprintf("A first try, %s on %s, could not be carried out and nothing happened. Look again.%s",
			quoteWord(answer.Method), quoteWord(answer.Description), choices(snap.Node(answer.ElementID), answer.Method))
		if answer, err = s.choose(ctx, c, snap, instruction, note, o); err != nil {
			return err
		}
		action, err = s.attempt(ctx, c, snap, answer, done, o)
		s.step("heal", answer.Description, began)
	}
	if err != nil {
		return err
	}
	return s.second(ctx, c, snap, instruction, answer, action, done, o)
}

// maxChoices bounds, in characters, the options that a second try is told of.
const maxChoices = 12_000

// choices lists all options of a list from which the first try chose one that it
// does not have.
func choices(n *snapshot.Node, method string) string {
	if n == nil || method != SelectOption || len(n.Options) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nThe options of %s:", n.ID)
	for i, o := range n.Options {
		if b.Len() > maxChoices {
			fmt.Fprintf(&b, " and %d more", len(n.Options)-i)
			break
		}
		b.WriteString(" " + snapshot.Quote(o))
	}
	return b.String()
}

// quoteWord makes the model's own words fit to be shown to it again.
func quoteWord(s string) string {
	return `"` + strings.NewReplacer(`"`, "'", "\n", " ").Replace(s) + `"`
}

// choose asks which action fits, going through the parts of a large page as
// the model wishes.
func (s *Stage) choose(ctx context.Context, c *call, snap *snapshot.Snapshot, instruction, note string, o *ActOptions) (*actReply, error) {
	where, err := s.within(ctx, snap, o.Within)
	if err != nil {
		return nil, err
	}
	part := 1
	var seen []int
	for range maxParts {
		text := s.format(snap, instruction, where, part)
		seen = append(seen, part)
		var answer actReply
		err := s.ask(ctx, c, question{
			purpose: "act", system: actPrompt, user: describe(text.Text, instruction, o.Variables, note), schema: actSchema, limit: 1000,
		}, &answer)
		if err != nil {
			return nil, err
		}
		if !answer.Found && answer.Part > 0 && answer.Part <= text.Parts && !slices.Contains(seen, answer.Part) {
			part = answer.Part
			continue
		}
		if !answer.Found {
			return nil, notFound(answer.Description)
		}
		return &answer, nil
	}
	return nil, notFound("")
}

func notFound(why string) error {
	if why = strings.TrimSpace(why); why != "" {
		return fmt.Errorf("%w: the model says %s", ErrNotFound, quoteWord(why))
	}
	return ErrNotFound
}

// within is the id of the element to look in, "" for the page.
func (s *Stage) within(ctx context.Context, snap *snapshot.Snapshot, where string) (string, error) {
	if where == "" {
		return "", nil
	}
	n, err := s.resolve(ctx, snap, where)
	if err != nil {
		return "", err
	}
	return n.ID, nil
}

// Find finds an element of the snapshot by its id or by any selector that
// browser.Locator takes. One that has no line in the tree gets a node.
func (s *Stage) Find(ctx context.Context, snap *snapshot.Snapshot, selector string) (*snapshot.Node, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.resolve(ctx, snap, selector)
}

// resolve finds the node of an id or selector.
func (s *Stage) resolve(ctx context.Context, snap *snapshot.Snapshot, where string) (*snapshot.Node, error) {
	n, err := s.reader.Resolve(ctx, snap, where)
	if errors.Is(err, browser.ErrNoMatch) || errors.Is(err, browser.ErrGone) {
		return nil, fmt.Errorf("%w: %s", ErrUnknownID, where)
	}
	return n, err
}

// attempt carries out what the model answered.
func (s *Stage) attempt(ctx context.Context, c *call, snap *snapshot.Snapshot, answer *actReply, done *Acted, o *ActOptions) (Action, error) {
	action, node, ok := answer.action(snap)
	if !ok {
		err := ErrUnknownID
		if !known(answer.Method) {
			err = ErrMethod
		}
		return action, &ActError{Action: action, Err: err}
	}
	return action, s.perform(ctx, c, action, node, snap, done, o)
}

// menuRoles are what opens when a list of choices opens.
var menuRoles = []string{"option", "menuitem", "menuitemcheckbox", "menuitemradio", "listbox", "menu", "treeitem"}

// second takes the second step where the first one opened the choices that the
// instruction is about. That is told by what opened, or by the model.
func (s *Stage) second(ctx context.Context, c *call, before *snapshot.Snapshot, instruction string, answer *actReply, first Action, done *Acted, o *ActOptions) error {
	if first.Method != Click && first.Method != Hover && first.Method != RightClick || !answer.TwoStep && !mayOpen(first) {
		return nil
	}
	now, err := s.look(ctx, c, o.Ignore)
	if err != nil {
		return err
	}
	change := now.Since(before)
	if !answer.TwoStep && !namesOne(instruction, first, change.Added) {
		return nil
	}
	tree := change.Format(&snapshot.FormatOptions{Tokens: s.opts.Tokens, MaxName: 80})
	if len(change.Added) == 0 {
		tree = s.format(now, instruction, "", 1).Text
	}
	note := fmt.Sprintf("The first step is done: %s on %s. Below is what is new on the page since. Answer with the step that completes the instruction; "+
		"found is false when it is complete already.", first.Method, quoteWord(first.Description))
	var next actReply
	err = s.ask(ctx, c, question{purpose: "act", system: actPrompt, user: describe(tree, instruction, o.Variables, note), schema: actSchema, limit: 1000}, &next)
	if err != nil {
		return err
	}
	if !next.Found {
		return nil
	}
	_, err = s.attempt(ctx, c, now, &next, done, o)
	return err
}

// mayOpen reports whether an element is of a kind that opens things.
func mayOpen(a Action) bool {
	return a.Role != "link" && a.Role != "checkbox" && a.Role != "radio" && a.Role != "option" && a.Role != "menuitem"
}

// namesOne reports whether the instruction names one of the choices that have
// just opened, and not only what was clicked to open them.
func namesOne(instruction string, first Action, added []*snapshot.Node) bool {
	said := " " + strings.Join(words(instruction), " ") + " "
	for _, n := range added {
		if !slices.Contains(menuRoles, n.Role) || n.Name == "" || n.Name == first.Name {
			continue
		}
		if w := strings.Join(words(n.Name), " "); w != "" && strings.Contains(said, " "+w+" ") {
			return true
		}
	}
	return false
}
