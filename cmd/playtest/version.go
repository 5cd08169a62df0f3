package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/record"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: `  playtest version`,
		Args:    arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			version := record.Version
			if commit := revision(); commit != "" {
				version += " " + commit
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "playtest %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// revision is the commit the command was built from, where that is known.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return s.Value[:12]
		}
	}
	return ""
}
