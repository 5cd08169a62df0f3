package stage_test

import (
	"testing"

	"github.com/playtest-dev/playtest/internal/golden"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/stage"
)

// What the models are told, to the letter: a change of a prompt is a change
// that somebody should see.
func TestPrompts(t *testing.T) {
	const html = `<title>Shop</title><h1>Shop</h1><label>How many <input type="number" value="1"></label><button disabled>Buy</button>`
	fake := script(t,
		func(string) any { return elements{Elements: []map[string]any{}} },
		func(tree string) any { return do(stage.Fill, `spinbutton "How many"`, "%n%")(tree) },
		say(`{"data": "Shop"}`))
	s := page(t, html, fake, nil)
	ctx := testContext(t)
	if _, err := s.Observe(ctx, "the ways to buy", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Act(ctx, "take %n% of them", &stage.ActOptions{Variables: map[string]string{"n": "2"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := stage.Extract[string](ctx, s, "the shop's name", nil); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"observe", "act", "extract"} {
		goldenRequest(t, name, fake.server.Requests()[i])
	}
}

// goldenRequest holds what a request tells the model against a file.
func goldenRequest(t *testing.T, name string, req modeltest.Received) {
	t.Helper()
	got := textOf(req.Body["system"]) + "\n\n----\n\n" + told(req)
	golden.Check(t, "testdata/"+name+".golden", got)
}
