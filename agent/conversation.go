package agent

import (
	"fmt"
	"strings"

	"github.com/playtest-dev/playtest/agent/internal/fence"
	"github.com/playtest-dev/playtest/model"
)

// How much of the past a model is shown.
const (
	// wholeLooks is how many observations stay whole.
	wholeLooks = 2
	// wholeTurns is how many turns keep what they were told of their actions.
	wholeTurns = 2
	// slackLooks and slackTurns are how many more of each are put up with
	// before all that is too many goes in one go. A change in the middle of a
	// conversation makes a vendor read again everything that follows.
	slackLooks, slackTurns = 2, 4
	// When more than liveTurns are there, the oldest become a line each until
	// keptTurns are left. In one go, so that what stands before them stays the
	// same for some turns and vendors can keep it.
	liveTurns, keptTurns = 12, 6
	// maxDone is how many of these lines are kept.
	maxDone = 24
	// doneLength is how long such a line is, in characters.
	doneLength = 140
)

// Conversation is a task on its way: what was asked, what was done, what the
// model was shown of it. It can be saved as JSON and continued.
type Conversation struct {
	// Goals are the task and what was asked for later.
	Goals []string `json:"goals"`
	// URL is where the page was at the start.
	URL string `json:"url"`
	// Done are the turns long past, a line a call, the last of them; Forgotten
	// counts those before.
	Done      []string `json:"done,omitempty"`
	Forgotten int      `json:"forgotten,omitempty"`
	Turns     []Turn   `json:"turns"`
}

// Turn is what a model said, and what came of the calls it asked for.
type Turn struct {
	Answer  model.Message `json:"answer"`
	Results []Told        `json:"results,omitempty"`
	// Note is what the user says after it.
	Note string `json:"note,omitempty"`
}

// Told is what a model was told about one of its calls.
type Told struct {
	Call  model.ToolCall `json:"call"`
	Parts []model.Part   `json:"parts,omitempty"`
	// Digest is what is left of it when it is old.
	Digest string `json:"digest"`
	Looks  bool   `json:"looks,omitempty"`
	Error  bool   `json:"error,omitempty"`
}

// copy is the conversation to go on with, so that a saved one stays as it is.
func (c *Conversation) copy() *Conversation {
	n := *c
	n.Goals = append([]string(nil), c.Goals...)
	n.Done = append([]string(nil), c.Done...)
	n.Turns = append([]Turn(nil), c.Turns...)
	return &n
}

// shrink turns what is old into lines. It is done to what is kept, not only to
// what is sent: a conversation of hundreds of pictures would be of no use.
func (c *Conversation) shrink() {
	if len(c.Turns) > liveTurns {
		old := c.Turns[:len(c.Turns)-keptTurns]
		for _, t := range old {
			c.Done = append(c.Done, t.lines()...)
		}
		c.Turns = append([]Turn(nil), c.Turns[len(old):]...)
	}
	if over := len(c.Done) - maxDone; over > 0 {
		c.Done, c.Forgotten = append([]string(nil), c.Done[over:]...), c.Forgotten+over
	}
	if looks, turns := c.whole(); looks > wholeLooks+slackLooks || turns > wholeTurns+slackTurns {
		c.digest(wholeLooks, wholeTurns)
	}
}

// whole counts the observations and the turns that are there in full.
func (c *Conversation) whole() (looks, turns int) {
	for _, t := range c.Turns {
		told := false
		for _, r := range t.Results {
			if r.Parts != nil && r.Looks {
				looks++
			} else if r.Parts != nil {
				told = true
			}
		}
		if told {
			turns++
		}
	}
	return looks, turns
}

// digest keeps the last observations and what the last turns were told, and
// leaves a line of the rest.
func (c *Conversation) digest(looks, turns int) {
	for i := len(c.Turns) - 1; i >= 0; i-- {
		results := append([]Told(nil), c.Turns[i].Results...)
		for j := len(results) - 1; j >= 0; j-- {
			r := &results[j]
			keep := len(c.Turns)-i <= turns
			if r.Looks {
				keep = looks > 0
				looks--
			}
			if !keep {
				r.Parts = nil
			}
		}
		c.Turns[i].Results = results
	}
}

// lines is a turn that is long past.
func (t Turn) lines() []string {
	var out []string
	for _, r := range t.Results {
		out = append(out, line(fmt.Sprintf("%s %s: %s", r.Call.Name, r.Call.Arguments, r.Digest), doneLength))
	}
	if t.Note != "" {
		out = append(out, line("told: "+t.Note, doneLength))
	}
	return out
}

// messages is the conversation as a model is sent it.
func (c *Conversation) messages() []model.Message {
	out := []model.Message{model.UserText(c.opening())}
	for _, t := range c.Turns {
		if answer := t.Answer; len(answer.Parts) > 0 {
			out = append(out, answer)
		}
		var parts []model.Part
		for _, r := range t.Results {
			parts = append(parts, r.part())
		}
		if t.Note != "" {
			parts = append(parts, model.Text(t.Note))
		}
		switch last := &out[len(out)-1]; {
		case len(parts) == 0:
		case last.Role == model.User:
			last.Parts = append(last.Parts, parts...)
		default:
			out = append(out, model.Message{Role: model.User, Parts: parts})
		}
	}
	return out
}

// opening is the first message: the task, and what is long past.
func (c *Conversation) opening() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Task: %s\n", c.Goals[0])
	for _, g := range c.Goals[1:] {
		fmt.Fprintf(&b, "\nLater the task became: %s\n", g)
	}
	fmt.Fprintf(&b, "\nThe page was opened at %s.\n", line(c.URL, 300))
	if len(c.Done) > 0 {
		b.WriteString("\nWhat you did so far, from your own record")
		if c.Forgotten > 0 {
			fmt.Fprintf(&b, " (%d calls before these are no longer in it)", c.Forgotten)
		}
		b.WriteString(":\n" + fence.Text("earlier turns", strings.Join(c.Done, "\n")) + "\n")
	}
	return b.String()
}

func (r Told) part() model.Part {
	parts := r.Parts
	if parts == nil {
		parts = []model.Part{model.Text(r.Digest)}
	}
	return model.Part{ToolResult: &model.ToolResult{CallID: r.Call.ID, Name: r.Call.Name, Parts: parts, Error: r.Error}}
}
