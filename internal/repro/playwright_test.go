package repro_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/internal/golden"
	"github.com/playtest-dev/playtest/internal/repro"
	"github.com/playtest-dev/playtest/record"
)

func TestPlaywright(t *testing.T) {
	for _, kind := range []repro.Kind{repro.Works, repro.Throws, repro.Hangs} {
		c := &repro.Claim{Kind: kind, Error: "TypeError: x", Window: record.Rect{Width: 1280, Height: 720}, Prefix: steps("Play"), Frame: 240, Input: record.Input{Kind: record.InputKey, Key: "Space"}}
		var b strings.Builder
		if err := repro.Playwright(&b, c, "http://127.0.0.1:8080/"); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, filepath.Join("testdata", string(kind)+".spec.ts.golden"), b.String())
	}
}

// A game's words end neither a comment nor a string of the program.
func TestPlaywrightOfAHostileGame(t *testing.T) {
	nasty := "x\n'); process.exit(1); //*/`${process.exit(1)}\u2028\"\\"
	c := &repro.Claim{Kind: repro.Throws, Error: nasty, Prefix: steps(nasty), Input: record.Input{Kind: record.InputClick, Label: nasty, Selector: nasty, Text: nasty}}
	var b strings.Builder
	if err := repro.Playwright(&b, c, "http://x/?"+nasty); err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(b.String(), "\n") {
		code := strings.TrimSpace(line)
		if strings.HasPrefix(code, "//") || strings.HasPrefix(code, `"`) {
			continue // a comment, or a line of JSON
		}
		if strings.Contains(code, "process.exit") && !strings.HasPrefix(code, "test(\"") && !strings.HasPrefix(code, "const url = process.env.GAME_URL ?? \"") {
			t.Errorf("a line of code: %s", line)
		}
	}
	if strings.Contains(b.String(), "\u2028") {
		t.Error("a line separator is left")
	}
}
