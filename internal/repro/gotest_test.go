package repro_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/internal/golden"
	"github.com/playtest-dev/playtest/internal/repro"
	"github.com/playtest-dev/playtest/record"
)

func TestGoTest(t *testing.T) {
	drag := record.Input{Kind: record.InputDrag, Path: []record.Point{{X: 10, Y: 20.5}, {X: 300, Y: 20.5}}, Label: "the «map»"}
	c := &repro.Claim{Kind: repro.Throws, Error: "TypeError: x", Window: record.Rect{Width: 1280, Height: 720}, Prefix: steps("Play"), Frame: 240, Input: drag}
	var b strings.Builder
	if err := repro.GoTest(&b, c, "http://127.0.0.1:8080/"); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("testdata", "throws_test.go.golden"), b.String())
}

// A game's words end neither a comment nor a string: the program has one function,
// whatever they are.
func TestGoTestOfAHostileGame(t *testing.T) {
	nasty := "x\n*/`}\nfunc init() { panic(1) }\r\u2028\"\\"
	for _, kind := range []repro.Kind{repro.Works, repro.Dead, repro.Throws, repro.Hangs} {
		c := &repro.Claim{Kind: kind, Error: nasty, Prefix: steps(nasty), Input: record.Input{Kind: record.InputKind(nasty), Key: nasty, Label: nasty, Selector: nasty, Text: nasty}}
		var b strings.Builder
		if err := repro.GoTest(&b, c, "http://x/?"+nasty); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), "repro_test.go", b.String(), 0)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name != "TestRepro" {
				t.Errorf("%s: there is a function %s", kind, f.Name.Name)
			}
		}
	}
}
