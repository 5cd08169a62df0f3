package agent_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/browser/snapshot"
	"github.com/playtest-dev/playtest/model"
)

func TestContinue(t *testing.T) {
	t.Parallel()
	m := play(t, call("ariaTree", "{}"), act("click Buy ticket"), closing("One is in the cart.", true),
		act("click Buy ticket"), closing("Two are in the cart.", true))
	a := start(t, shop, m, nil)
	first := run(t, a, "buy one ticket")
	data, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	var kept agent.Result
	if err := json.Unmarshal(data, &kept); err != nil {
		t.Fatal(err)
	}
	res, err := a.Continue(testContext(t), kept.Conversation, "buy another one")
	if err != nil || !res.Success || res.Message != "Two are in the cart." || res.Steps != 2 {
		t.Fatalf("got %+v, %v", res, err)
	}
	if got := eval[string](t, a, "cart.textContent"); got != "Cart: 2 tickets" {
		t.Errorf("the page says %q", got)
	}
	told := m.told(t, 4)
	if !strings.Contains(told, "Closed.") || !strings.Contains(told, "The task goes on: buy another one") {
		t.Errorf("told %s", told)
	}
	opening := m.asked[3].Messages[0].Text()
	if !strings.Contains(opening, "Task: buy one ticket") || !strings.Contains(opening, "Later the task became: buy another one") {
		t.Errorf("the opening is %s", opening)
	}
	if len(kept.Conversation.Goals) != 1 || len(kept.Conversation.Turns) != 3 {
		t.Errorf("the saved conversation was changed: %+v", kept.Conversation)
	}
	paired(t, m)
}

func TestReplay(t *testing.T) {
	t.Parallel()
	const page = `<title>Form</title><input aria-label="Name" id="who"><button onclick="document.title = 'Sent ' + who.value + ' ' + keys">Send</button>
		<script>let keys = 0; addEventListener('keydown', e => { if (e.key === 'ArrowUp') keys++ })</script>`
	m := play(t, call("ariaTree", "{}"), act("fill Name with %who%"), act("click Nothing"), call("keys", args{"keys": []string{"ArrowUp", "ArrowUp"}}),
		act("click Send"), closing("Sent.", true))
	url := serve(t, map[string]string{"/": page}) + "/"
	opts := &agent.Options{Game: true, Variables: map[string]string{"who": "Grace"}}
	recorded := startAt(t, url, m, opts)
	res := run(t, recorded, "send the form")
	if got := eval[string](t, recorded, "document.title"); got != "Sent Grace 2" {
		t.Fatalf("the first time: %q", got)
	}
	data, err := json.Marshal(res.Actions)
	if err != nil {
		t.Fatal(err)
	}
	var kept []agent.Action
	if err := json.Unmarshal(data, &kept); err != nil {
		t.Fatal(err)
	}

	again := startAt(t, url, nil, opts) // no model at all
	res, err = again.Replay(testContext(t), kept)
	if err != nil || !res.Success || res.Stop != agent.Replayed || len(res.Actions) != 3 || res.Usage.Calls != 0 {
		t.Fatalf("got %+v, %v", res, err)
	}
	if got := eval[string](t, again, "document.title"); got != "Sent Grace 2" {
		t.Errorf("the second time: %q", got)
	}

	// On a page that has changed it ends where it cannot go on, and says so.
	other := startAt(t, serve(t, map[string]string{"/": strings.Replace(page, ">Send<", ">Submit<", 1)})+"/", nil, opts)
	res, err = other.Replay(testContext(t), kept)
	if err == nil || res.Success || len(res.Actions) != 3 || res.Actions[2].Error == "" || !strings.Contains(err.Error(), "replaying act of step 5") {
		t.Errorf("got %+v, %v", res, err)
	}
}

// long is an agent at work for many steps: it looks, acts, looks at a picture.
func long(t testing.TB, steps int) (*agent.Result, *actor) {
	var page strings.Builder
	page.WriteString(`<title>Long</title><p id="n">0</p><button onclick="n.textContent = ++count">Count</button><script>let count = 0</script>`)
	for i := range 120 {
		fmt.Fprintf(&page, `<p>Line %d of a page with some text on it.</p><button>Button %d</button>`, i, i)
	}
	turns := make([]turn, steps)
	for i := range turns {
		switch i % 4 {
		case 0:
			turns[i] = call("ariaTree", "{}")
		case 2:
			turns[i] = call("screenshot", "{}")
		default:
			turns[i] = act("click Count")
		}
	}
	turns[steps-1] = closing("Counted.", true)
	m := play(t, turns...)
	a := start(t, page.String(), m, &agent.Options{Limits: agent.Limits{Steps: steps}})
	return run(t, a, "count"), m
}

// tokens is what a request comes to, pictures at what they usually count for.
func tokens(req *model.Request) int {
	n := snapshot.Tokens(req.System)
	for _, t := range req.Tools {
		n += snapshot.Tokens(t.Description) + snapshot.Tokens(string(t.Schema))
	}
	var parts func([]model.Part)
	parts = func(list []model.Part) {
		for _, p := range list {
			n += snapshot.Tokens(p.Text)
			if p.Image != nil {
				n += p.Image.Width * p.Image.Height / 750
			}
			if p.ToolCall != nil {
				n += snapshot.Tokens(p.ToolCall.Name + string(p.ToolCall.Arguments))
			}
			if p.ToolResult != nil {
				parts(p.ToolResult.Parts)
			}
		}
	}
	for _, m := range req.Messages {
		parts(m.Parts)
	}
	return n
}

// The fortieth step costs what the tenth did: old observations are digested.
func TestCostPerStepIsFlat(t *testing.T) {
	t.Parallel()
	const steps = 40
	res, m := long(t, steps)
	if !res.Success || res.Steps != steps {
		t.Fatalf("got %+v", res)
	}
	paired(t, m)
	block := func(from, to int) (mean int) {
		for _, req := range m.asked[from:to] {
			mean += tokens(req)
		}
		return mean / (to - from)
	}
	early, late := block(8, 16), block(32, 40)
	var all []string
	for _, req := range m.asked {
		all = append(all, fmt.Sprint(tokens(req)))
	}
	t.Logf("tokens per step: %s", strings.Join(all, " "))
	// What the last turn would be sent if nothing were ever dropped.
	whole := tokens(m.asked[0])
	for _, req := range m.asked[1:] {
		whole += tokens(&model.Request{Messages: req.Messages[len(req.Messages)-2:]})
	}
	t.Logf("mean of steps 9 to 16: %d, of 33 to 40: %d; with everything kept whole step 40 would be %d", early, late, whole)
	if late > early*115/100 {
		t.Errorf("steps 9 to 16 cost %d tokens each, steps 33 to 40 %d", early, late)
	}
	for i, req := range m.asked {
		trees, pictures := 0, 0
		for _, msg := range req.Messages {
			for _, p := range msg.Parts {
				if p.ToolResult == nil {
					continue
				}
				for _, r := range p.ToolResult.Parts {
					if r.Image != nil {
						pictures++
					}
					if strings.Contains(r.Text, `button "Button 7"`) {
						trees++
					}
				}
			}
		}
		if trees+pictures > 4 {
			t.Errorf("step %d: %d trees and %d pictures are whole", i+1, trees, pictures)
		}
	}
	// Between two cuts a conversation only grows, so that a vendor can keep what
	// it has read of it.
	kept := 0
	for i := 1; i < len(m.asked); i++ {
		before, now := m.asked[i-1].Messages, m.asked[i].Messages
		if len(now) < len(before) {
			continue
		}
		a, _ := json.Marshal(before)
		b, _ := json.Marshal(now[:len(before)])
		if string(a) == string(b) {
			kept++
		}
	}
	if kept < 25 {
		t.Errorf("only %d of 39 requests begin with the one before", kept)
	}
}

func BenchmarkFortySteps(b *testing.B) {
	var last []*model.Request
	for b.Loop() {
		_, m := long(b, 40)
		last = m.asked
	}
	sum, most := 0, 0
	for _, req := range last {
		n := tokens(req)
		sum += n
		most = max(most, n)
	}
	b.ReportMetric(float64(sum)/float64(len(last)), "tokens/step")
	b.ReportMetric(float64(most), "tokens-most")
	b.ReportMetric(float64(tokens(last[len(last)-1])), "tokens-last")
}
