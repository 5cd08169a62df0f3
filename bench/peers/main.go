// Command peers measures the stage beside other programs on the same pages in
// one run, prints the table and writes it into docs/peers.md. It is what
// `make bench-peers` runs. It fails when a goal is not kept.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/stage"
)

const repeats = 7

// limit is the size of what the stage sends of a page.
const limit = stage.DefaultTokens

var pages = []string{"small", "large", "frames", "cross", "canvas"}

func main() {
	folder := flag.String("peers", "", "folder into which scripts/bench-peers installed the others; empty measures ours alone")
	chromium := flag.String("chromium", "chromium", "Chromium for all of them; it has to load extensions, of which Stagehand 4 is one, so the headless shell will not do")
	docs := flag.String("docs", "docs/peers.md", "file to write the table into, empty for none")
	only := flag.String("only", "", "folders of the programs to measure beside ours, with commas between (stagehand-go); the page is then left as it is")
	tasks := flag.Bool("tasks", false, "have the tasks of bench/tasks carried out instead of measuring")
	flag.Parse()
	exe, err := browser.Find(*chromium)
	switch {
	case err != nil:
	case *tasks:
		err = runTasks(context.Background(), exe, *folder, *docs)
	case *only == "":
		err = run(context.Background(), exe, *folder, *docs, peers)
	default:
		var some []peer
		if some, err = chosen(*only); err == nil {
			err = run(context.Background(), exe, *folder, "", some)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run measures one program after the other. A page of benchmarks is written
// only when all of them were measured: half a table would replace a whole one.
func run(ctx context.Context, chromium browser.Executable, folder, docs string, peers []peer) error {
	server := serve()
	defer server.Close()
	ours, err := measure(ctx, chromium.Path, server.URL)
	if err != nil {
		return err
	}
	ours.Load = load()
	columns := []column{{"stage", ours}}
	var missing []string
	for _, p := range peers {
		theirs, name, err := p.measure(ctx, folder, chromium.Path, server.URL)
		if err != nil {
			missing = append(missing, fmt.Sprintf("%s: %v", p.title, err))
			continue
		}
		theirs.Load = load()
		columns = append(columns, column{name, theirs})
	}
	text, unkept := table(chromium.Version, columns, missing)
	fmt.Print(text)
	if docs != "" && folder != "" {
		if len(missing) > 0 {
			return fmt.Errorf("%d programs could not be measured; %s is left as it was", len(missing), docs)
		}
		if err := writeSection(docs, "bench-peers", text); err != nil {
			return err
		}
	}
	if len(unkept) > 0 {
		return fmt.Errorf("goals that are not kept: %s", strings.Join(unkept, "; "))
	}
	return nil
}

// result is what was measured of one program, times in milliseconds. What a
// program does not have stays zero.
type result struct {
	Full, First map[string]float64 // whole tree, viewport first
	Tokens      map[string]int     // of the whole tree
	Sent        map[string]int     // of what a model is sent
	Again       float64            // the large page after the one with frames to before it
	Act         float64            // with a model that answers at once
	Extract     float64            // the same
	Step        float64            // of an agent, the same
	MB          float64            // our process at the end
	Load        float64            // of the machine, in the minute before the end
	Painted     int                // painted texts seen on the canvas
	Errors      []string
}

func newResult() *result {
	return &result{Full: map[string]float64{}, First: map[string]float64{}, Tokens: map[string]int{}, Sent: map[string]int{}}
}

// tree books what a program shows of a page.
func (r *result) tree(name, text string, tokens int) {
	r.Tokens[name], r.Sent[name] = tokens, tokens
	if name == "canvas" {
		r.Painted = painted(text)
	}
}
