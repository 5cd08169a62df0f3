package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/site"
)

// local is the flags of a command that serves a build of this machine itself.
type local struct {
	isolation string
}

func (l *local) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&l.isolation, "isolation", site.Isolations[0], "whether a local build gets the headers that SharedArrayBuffer needs: "+strings.Join(site.Isolations, ", ")+"; auto when a script of it asks for shared memory")
	cmd.RegisterFlagCompletionFunc("isolation", cobra.FixedCompletions(site.Isolations, cobra.ShellCompDirectiveNoFileComp))
}

func (l *local) check(cmd *cobra.Command) error {
	if !slices.Contains(site.Isolations, l.isolation) {
		return usage(cmd, "--isolation %q is not one of %s", l.isolation, strings.Join(site.Isolations, ", "))
	}
	return nil
}

// address is where a game can be played: the address that was named, without its
// password, or that of a server for the folder, page or zip file that was. Done
// ends the server.
func (l *local) address(ctx context.Context, cmd *cobra.Command, arg string) (address string, credentials *browser.Credentials, done func(), err error) {
	if !site.IsLocal(arg) {
		address, credentials = browser.CredentialsOf(arg)
		return address, credentials, func() {}, nil
	}
	s, err := site.Serve(ctx, arg, &site.Options{Isolation: site.Isolation(l.isolation)})
	if err != nil {
		var none *site.NoPageError
		if errors.As(err, &none) {
			return "", nil, nil, hint(usage(cmd, "%v", err), "name the page to play, such as %s/game.html", strings.TrimSuffix(arg, "/"))
		}
		return "", nil, nil, usage(cmd, "%v", err)
	}
	return s.URL(), nil, func() { _ = s.Close() }, nil
}

// watchEvery is how often --watch looks whether a build changed.
const watchEvery = 400 * time.Millisecond

// again plays a build each time it changes, until somebody interrupts it.
func again(cmd *cobra.Command, path string, play func() error) error {
	for {
		err := play()
		if cmd.Context().Err() != nil || isUsage(err) {
			return err
		}
		printError(cmd.ErrOrStderr(), err)
		fmt.Fprintf(cmd.ErrOrStderr(), "\nwaiting for a change of %s; press Ctrl-C to stop\n", path)
		if site.Changed(cmd.Context(), path, watchEvery) != nil {
			return err // the last verdict is what the command ends with
		}
	}
}
