// Command playtest plays a browser game in a real Chromium and says whether it
// loads, whether its controls respond and whether it stays alive.
//
// Text for people goes to stderr, data to stdout. It exits with 0 when the game
// passed, 1 when it failed, 2 when it could not be judged, 64 when the command
// line is wrong and 130 when it was interrupted.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	if self, err := os.Executable(); err == nil && os.Getpid() == 1 {
		os.Exit(supervise(self, os.Args[1:]))
	}
	os.Exit(execute(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func execute(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	// The first signal ends the run in good order; from then on a second one
	// ends the process as usual, and Chromium with it.
	context.AfterFunc(ctx, stop)

	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	printError(stderr, err)
	return exitCode(err)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "playtest",
		Short: "Play a browser game and say whether it works",
		Long: `playtest opens a browser game in a real Chromium, finds its controls, starts it,
plays it, and says whether it loads, whether its controls respond and whether it
stays alive. It needs no model and no account.

Exit codes: 0 the game passed, 1 it failed, 2 it could not be judged,
64 the command line is wrong, 130 interrupted (what was found so far is saved).`,
		Example: `  playtest demo                              play a bundled game
  playtest run https://example.com/game/     play your own
  playtest doctor                            see what this machine can play`,
		SilenceErrors: true,
		SilenceUsage:  true,
		// How many letters a command may be off and still be suggested.
		SuggestionsMinimumDistance: 2,
		Args:                       noSuchCommand,
		RunE:                       showHelp,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage(cmd, "%v", err) })
	root.AddCommand(
		newRun(), newBatch(), newReport(), newCompare(), newReplay(), newShrink(), newDemo(), newGames(), newObserve(), newAct(), newExtract(), newAgent(), newSession(),
		newEvaluate(), newBench(), newServe(), newWorker(), newMCP(), newLambda(), newRuns(), newKnowledge(), newToken(), newProject(), newDoctor(), newVersion(), newMan(),
	)
	root.InitDefaultCompletionCmd()
	return root
}

// exitCode turns the outcome of a command into the process's exit code.
func exitCode(err error) int {
	var judged *verdictError
	switch {
	case err == nil:
		return codePass
	case isUsage(err):
		return codeUsage
	case errors.As(err, &judged):
		return judged.code
	case errors.Is(err, context.Canceled):
		return codeInterrupted
	}
	return codeUnjudged
}
