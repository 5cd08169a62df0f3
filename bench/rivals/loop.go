package main

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/playtest-dev/playtest/agent"
	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/stage"
)

// priced is the model whose price the scripted one has, and answerTokens what one
// answer counts for.
const (
	priced       = "anthropic/claude-haiku-5-5"
	answerTokens = 80
)

// loop is an agent that plays and says what it saw: it presses what is called a
// start, further buttons, keys and places of the picture, with a tree or a picture
// before each, and calls the game playable when something that it did after the
// start was followed by a change. The model is a script that answers at once, so
// that the seconds are those of the tools alone; what it reads is counted as the
// vendor would at most, at the price of a small model.
func loop(ctx context.Context, b *browser.Browser, url string) (pass bool, dollars float64, err error) {
	watch := probe.New()
	page, done, err := open(ctx, b, watch.Script())
	if err != nil {
		return false, 0, err
	}
	defer done()
	if _, err := page.Navigate(ctx, url, nil); err != nil {
		return false, 0, err
	}
	if err := page.WaitLoad(ctx, browser.Complete); err != nil {
		return false, 0, err
	}
	price, ok := model.DefaultPrices().For(priced)
	if !ok {
		return false, 0, fmt.Errorf("no price is known of %s", priced)
	}
	var spent model.Money
	s := &script{pressed: map[string]bool{}}
	m := modeltest.NewFake("test/script", nil, func(_ context.Context, _ int, req *model.Request) (*model.Response, error) {
		spent += price.Cost(model.Usage{Input: req.Estimate(price), Output: answerTokens})
		if req.Purpose != "agent" {
			return choose(req)
		}
		return s.next(req)
	})
	a, err := agent.New(ctx, page, m, &agent.Options{Game: true, Limits: agent.Limits{Steps: 30}, Probe: watch})
	if err != nil {
		return false, 0, err
	}
	result, err := a.Run(ctx, "Play this game and find out whether it can be played.")
	if err != nil {
		return false, spent.Dollars(), err
	}
	for i, action := range result.Actions {
		if i > started && (action.Changed || action.Painted) {
			pass = true
		}
	}
	return pass, spent.Dollars(), nil
}

// start is what people would press first, by its name.
var start = regexp.MustCompile(`(?i)start|play|begin|new game|jugar|jogar|iniciar|comenzar|começar|jouer|commencer|spielen|gioca|inizia|играть|начать|старт|开始|開始|スタート|시작|başla|oyna|graj|mulai`)

// button is a line of a tree that names something to press.
var button = regexp.MustCompile(`(?m)^ *(\d+) (?:button|link|menuitem|tab) "([^"]+)"`)

// script is the model: one call a turn.
type script struct {
	turn    int
	pressed map[string]bool
}

// started is which of the calls begins the game: all that comes later is play.
const started = 1

// moves are what is done without knowing what there is.
var moves = []struct{ tool, args string }{
	{"keys", `{"keys":["ArrowRight","ArrowRight","ArrowLeft","ArrowUp","ArrowDown"]}`},
	{"keys", `{"keys":["Space","Enter"]}`},
	{"clickAt", `{"x":640,"y":360}`},
	{"clickAt", `{"x":500,"y":280}`},
	{"clickAt", `{"x":760,"y":450}`},
	{"keys", `{"keys":["w","a","s","d","z","x"]}`},
}

func (s *script) next(req *model.Request) (*model.Response, error) {
	defer func() { s.turn++ }()
	last := req.Messages[len(req.Messages)-1]
	var told strings.Builder
	for _, p := range last.Parts {
		if p.ToolResult != nil {
			for _, r := range p.ToolResult.Parts {
				told.WriteString(r.Text)
			}
		}
	}
	const presses = 4 // the first of them is the start
	n := s.turn / 2
	switch {
	case s.turn%2 == 0 && n < presses:
		return call(s.turn, "ariaTree", "{}"), nil
	case n < presses:
		return s.press(told.String()), nil
	case n >= presses+len(moves):
		return call(s.turn, "close", `{"reasoning":"All moves were made.","taskComplete":true}`), nil
	case s.turn%2 == 0:
		return call(s.turn, "screenshot", "{}"), nil
	}
	m := moves[n-presses]
	return call(s.turn, m.tool, m.args), nil
}

// press presses something that was not pressed before, what is called a start first.
// Where there is nothing it looks.
func (s *script) press(tree string) *model.Response {
	name := ""
	for _, m := range button.FindAllStringSubmatch(tree, -1) {
		if s.pressed[m[2]] {
			continue
		}
		if name == "" || start.MatchString(m[2]) && !start.MatchString(name) {
			name = m[2]
		}
	}
	if name == "" {
		return call(s.turn, "screenshot", "{}")
	}
	s.pressed[name] = true
	args, _ := json.Marshal(map[string]string{"action": "click " + name}) // texts can be written
	return call(s.turn, "act", string(args))
}

func call(turn int, name, args string) *model.Response {
	c := model.ToolCall{ID: fmt.Sprintf("call_%d", turn), Name: name}
	c.Arguments, c.Invalid = model.ParseArguments(args)
	return modeltest.Calls(c)
}

var instruction = regexp.MustCompile(`(?m)^Instruction: click (.*)$`)

// choose answers what act asks: which element has that name.
func choose(req *model.Request) (*model.Response, error) {
	text := req.Messages[0].Text()
	answer := map[string]any{"found": false, "elementId": "", "description": "not there", "method": "", "arguments": []string{}, "twoStep": false, "part": 0}
	if m := instruction.FindStringSubmatch(text); m != nil {
		if id := regexp.MustCompile(`(?m)^ *(\d+) [a-z]+ "` + regexp.QuoteMeta(m[1]) + `"`).FindStringSubmatch(text); id != nil {
			answer = map[string]any{"found": true, "elementId": id[1], "description": m[1], "method": stage.Click, "arguments": []string{}, "twoStep": false, "part": 0}
		}
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return modeltest.Say(string(data), model.Usage{}), nil
}
