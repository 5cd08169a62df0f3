package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/browser"
)

const shop = `<title>Shop</title><h1>Tickets</h1>
<button onclick="document.getElementById('cart').textContent='Cart: '+(++n)+' tickets'">Buy ticket</button>
<p id="cart">Cart: empty</p><input aria-label="Name"><a href="/two">Next page</a><script>let n = 0</script>`

func TestRunCarriesOutATask(t *testing.T) {
	t.Parallel()
	m := play(t, call("ariaTree", "{}"), act("click Buy ticket"), closing("One ticket is in the cart.", true))
	var steps []agent.Step
	a := start(t, shop, m, &agent.Options{
		OnStep: func(s agent.Step) { steps = append(steps, s) },
		Check: func(ctx context.Context, p *browser.Page) error {
			var cart string
			if err := p.Evaluate(ctx, "document.getElementById('cart').textContent", &cart); err != nil {
				return err
			}
			if cart != "Cart: 1 tickets" {
				return errors.New("the cart says " + cart)
			}
			return nil
		},
	})
	res := run(t, a, "buy one ticket")
	if !res.Success || !res.Completed || res.Stop != agent.Closed || res.Message != "One ticket is in the cart." {
		t.Errorf("got %+v", res)
	}
	if len(res.Actions) != 3 || len(steps) != 3 || res.Steps != 3 || steps[1].Actions[0].Tool != "act" {
		t.Fatalf("actions %+v, steps %+v", res.Actions, steps)
	}
	buy := res.Actions[1]
	if !buy.Changed || buy.PageURL != a.Page().URL() || buy.Time.IsZero() || len(buy.Performed) != 1 || buy.Performed[0].Name != "Buy ticket" {
		t.Errorf("the action is %+v", buy)
	}
	v := res.Verified
	if v.Calls != 3 || v.Failed != 0 || v.Effective != 1 || !v.Changed || v.Moved || !v.Checked || v.Problem != "" {
		t.Errorf("verified %+v", v)
	}
	// Three turns and the one call that act made.
	if res.Usage.Input != 400 || res.Usage.Output != 40 || res.Usage.Calls != 3 {
		t.Errorf("usage %+v", res.Usage)
	}
	if told := m.told(t, 2); !strings.Contains(told, "<<<DATA from the page\n") || !strings.Contains(told, `button "Buy ticket"`) {
		t.Errorf("ariaTree told %s", told)
	}
	if told := m.told(t, 3); !strings.Contains(told, `Done: click on button "Buy ticket".`) || !strings.Contains(told, "Cart: 1 tickets") {
		t.Errorf("act told %s", told)
	}
}

// What the agent claims and what is so are two things.
func TestClaimIsNotTheMeasurement(t *testing.T) {
	t.Parallel()
	m := play(t, closing("All tickets are bought.", true))
	a := start(t, shop, m, &agent.Options{Check: func(context.Context, *browser.Page) error { return errors.New("the cart is empty") }})
	res := run(t, a, "buy one ticket")
	if res.Success || !res.Completed || !res.Claim.TaskComplete || res.Verified.Problem != "the cart is empty" || res.Verified.Effective != 0 || res.Verified.Changed {
		t.Errorf("got %+v", res)
	}
}
