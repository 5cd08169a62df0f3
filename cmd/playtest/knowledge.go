package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/internal/qa/knowledge"
)

// learned calls do with the book of what was learned, which is in the database
// with the runs.
func (s *storage) learned(ctx context.Context, do func(*knowledge.Book) error) error {
	db, err := s.openStore(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	return do(knowledge.Open(db, nil))
}

// entries are all that is known.
func (s *storage) entries(ctx context.Context) (list []knowledge.Entry, err error) {
	err = s.learned(ctx, func(book *knowledge.Book) (err error) {
		list, err = book.Entries(ctx)
		return err
	})
	return list, err
}

func newKnowledge() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "knowledge",
		Short: "What was learned about games, and how to make it be forgotten",
		Long: `Knowledge is what runs remember: how a game was started, which controls it
answers to, what brought it further on which screen, and how often that worked. In
the same game and in games like it that is tried first; what is measured, and so
the verdict, does not depend on it. It is kept in the database, with the runs:
without --db a file in your data folder that only you can read.`,
		Example: `  playtest knowledge list
  playtest knowledge show 1f09ab3c
  playtest knowledge forget 1f09ab3c
  playtest knowledge list --db postgres://playtest@db.example.com/playtest`,
		Args: noSuchCommand,
		RunE: showHelp,
	}
	cmd.AddCommand(newKnowledgeList(), newKnowledgeShow(), newKnowledgeForget())
	return cmd
}

func newKnowledgeList() *cobra.Command {
	var s storage
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the games about which something is known",
		Example: `  playtest knowledge list`,
		Args:    arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := s.entries(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return writeIndented(cmd, list)
			}
			if len(list) == 0 {
				fmt.Fprintln(cmd.ErrOrStderr(), "nothing has been learned yet")
				return nil
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "ID\tRUNS\tHABITS\tLEARNED\tGAME")
			for _, e := range list {
				fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\n", e.ID, e.Runs, len(e.Habits), e.Learned.Format(time.DateOnly), gameName(e))
			}
			return w.Flush()
		},
	}
	s.registerDB(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func newKnowledgeShow() *cobra.Command {
	var s storage
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Show what is known of a game, and how sure that is",
		Example: `  playtest knowledge show 1f09ab3c`,
		Args:    arguments(1, 1, "the id of a game"),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := s.entries(cmd.Context())
			if err == nil {
				list, err = one(list, args[0])
			}
			if err != nil {
				return err
			}
			e := list[0]
			if asJSON {
				return writeIndented(cmd, e)
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "%s\n%s\nrecognised by: %s\n\n", gameName(e), e.Print.Site, recognised(e.Print))
			w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "FOR\tCHANCE\tWORKED\tFAILED\tWHAT\tON")
			now := time.Now()
			for _, h := range e.Habits {
				fmt.Fprintf(w, "%s\t%.0f %%\t%d\t%d\t%s\t%s\n", h.Purpose, 100*h.Chance(now), h.Worked, h.Failed, shorten(h.Says, 60), shorten(strings.Join(h.On.Words, " | "), 60))
			}
			return w.Flush()
		},
	}
	s.registerDB(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func newKnowledgeForget() *cobra.Command {
	var s storage
	var all bool
	cmd := &cobra.Command{
		Use:   "forget ID|--all",
		Short: "Forget what is known of a game",
		Example: `  playtest knowledge forget 1f09ab3c
  playtest knowledge forget --all`,
		Args: func(cmd *cobra.Command, args []string) error {
			if all {
				return arguments(0, 0, "")(cmd, args)
			}
			return arguments(1, 1, "the id of a game, or --all,")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			n := 0
			err := s.learned(cmd.Context(), func(book *knowledge.Book) error {
				list, err := book.Entries(cmd.Context())
				if err == nil && !all {
					list, err = one(list, args[0])
				}
				for i := 0; err == nil && i < len(list); i++ {
					_, err = book.Forget(cmd.Context(), list[i].ID)
					n++
				}
				return err
			})
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "forgotten: %d\n", n)
			return nil
		},
	}
	s.registerDB(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "forget everything")
	return cmd
}

// one is the entry with the id, or the only one whose id begins with it.
func one(list []knowledge.Entry, id string) ([]knowledge.Entry, error) {
	found := slices.DeleteFunc(list, func(e knowledge.Entry) bool { return !strings.HasPrefix(e.ID, id) })
	if len(found) != 1 {
		return nil, hint(fmt.Errorf("%d games have an id that begins with %q", len(found), id), "playtest knowledge list shows the ids")
	}
	return found, nil
}

func gameName(e knowledge.Entry) string {
	if e.Print.Title != "" {
		return e.Print.Title
	}
	return e.Print.Site
}

// recognised says in a line what a game is known by.
func recognised(f knowledge.Fingerprint) string {
	var parts []string
	for _, p := range []struct{ what, value string }{
		{"kind", f.Kind}, {"engine", f.Engine}, {"genre", f.Genre}, {"keys", strings.Join(f.Keys, " ")},
		{"built of", strings.Join(f.Structure, " ")}, {"says", strings.Join(f.Words, " | ")},
	} {
		if p.value != "" {
			parts = append(parts, p.what+" "+shorten(p.value, 80))
		}
	}
	return strings.Join(parts, "; ")
}

func shorten(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

func writeIndented(cmd *cobra.Command, v any) error {
	enc := json.NewEncoder(cmd.OutOrStdout())
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
