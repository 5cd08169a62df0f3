// Command peers measures the stage beside Stagehand 3 on the same pages in one
// run, prints the table and writes it into docs/benchmarks.md. It is what
// `make bench-peers` runs.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/playtest-dev/playtest/stage"
)

const repeats = 7

// limit is the size of what the stage sends of a page.
const limit = stage.DefaultTokens

var pages = []string{"small", "large", "frames", "cross", "canvas"}

func main() {
	folder := flag.String("stagehand", "", "folder into which Stagehand was installed; empty measures ours alone")
	docs := flag.String("docs", "docs/benchmarks.md", "file to write the table into, empty for none")
	only := flag.Bool("tasks", false, "have the tasks of bench/tasks carried out instead of measuring")
	flag.Parse()
	run := run
	if *only {
		run = runTasks
	}
	if err := run(context.Background(), *folder, *docs); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, folder, docs string) error {
	server := serve()
	defer server.Close()
	ours, err := measure(ctx, server.URL)
	if err != nil {
		return err
	}
	var theirs *result
	why := ""
	if folder != "" {
		if theirs, err = stagehand(ctx, folder, server.URL); err != nil {
			why = err.Error()
		}
	} else {
		why = "it was not asked for"
	}
	text := table(ours, theirs, why)
	fmt.Print(text)
	if folder != "" && theirs == nil {
		return fmt.Errorf("%s; %s is left as it was", why, docs)
	}
	if docs == "" {
		return nil
	}
	return write(docs, text)
}

// result is what was measured of one program, times in milliseconds.
type result struct {
	Full, First map[string]float64 // whole tree, viewport first
	Tokens      map[string]int     // of the whole tree
	Sent        map[string]int     // of what a model is sent
	Again       float64            // the large page after the one with frames to before it
	Act         float64            // with a model that answers at once
	MB          float64            // our process at the end
	Painted     int                // painted texts seen on the canvas
	Errors      []string
}

func newResult() *result {
	return &result{Full: map[string]float64{}, First: map[string]float64{}, Tokens: map[string]int{}, Sent: map[string]int{}}
}
