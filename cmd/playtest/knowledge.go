package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"playtest/qa/knowledge"
)

// memory is the flag that says where what was learned is kept.
type memory struct{ file string }

func (m *memory) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.file, "file", "", "the `FILE` in which it is kept (also $PLAYTEST_KNOWLEDGE; default knowledge.json in your data folder)")
	cmd.MarkFlagFilename("file", "json")
}

// open is the book of what was learned.
func (m *memory) open() (*knowledge.Book, error) {
	path := m.file
	if path == "" {
		path = os.Getenv("PLAYTEST_KNOWLEDGE")
	}
	if path == "" {
		dir, err := dataFolder()
		if err != nil {
			return nil, hint(errors.New("there is no home folder to keep knowledge in"), "name a file with --file")
		}
		path = filepath.Join(dir, "knowledge.json")
	}
	return knowledge.Open(&knowledge.File{Path: path}, nil), nil
}

// entries are all that is known.
func (m *memory) entries(cmd *cobra.Command) ([]knowledge.Entry, error) {
	book, err := m.open()
	if err != nil {
		return nil, err
	}
	list, err := book.Entries(cmd.Context())
	if err != nil {
		return nil, hint(err, "delete the file, or name another with --file; it is learned anew")
	}
	return list, nil
}

func newKnowledge() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "knowledge",
		Short: "What was learned about games, and how to make it be forgotten",
		Long: `Knowledge is what adaptive runs remember: how a game was started, which controls
it answers to, what brought it further on which screen, and how often that worked.
It is offered in the same game and in games like it. It stays on this machine, in
a file that only you can read.`,
		Example: `  playtest knowledge list
  playtest knowledge show 1f09ab3c
  playtest knowledge forget 1f09ab3c`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newKnowledgeList(), newKnowledgeShow(), newKnowledgeForget())
	return cmd
}

func newKnowledgeList() *cobra.Command {
	var m memory
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the games about which something is known",
		Example: `  playtest knowledge list`,
		Args:    arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := m.entries(cmd)
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
	m.register(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func newKnowledgeShow() *cobra.Command {
	var m memory
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Show what is known of a game, and how sure that is",
		Example: `  playtest knowledge show 1f09ab3c`,
		Args:    arguments(1, 1, "the id of a game"),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := m.find(cmd, args[0])
			if err != nil {
				return err
			}
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
	m.register(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func newKnowledgeForget() *cobra.Command {
	var m memory
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
			var ids []string
			if all {
				list, err := m.entries(cmd)
				if err != nil {
					return err
				}
				for _, e := range list {
					ids = append(ids, e.ID)
				}
			} else {
				e, err := m.find(cmd, args[0])
				if err != nil {
					return err
				}
				ids = []string{e.ID}
			}
			book, err := m.open()
			if err != nil {
				return err
			}
			for _, id := range ids {
				if _, err := book.Forget(cmd.Context(), id); err != nil {
					return err
				}
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "forgotten: %d\n", len(ids))
			return nil
		},
	}
	m.register(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "forget everything")
	return cmd
}

// find is the entry with the id, or the only one whose id begins with it.
func (m *memory) find(cmd *cobra.Command, id string) (knowledge.Entry, error) {
	list, err := m.entries(cmd)
	if err != nil {
		return knowledge.Entry{}, err
	}
	var found []knowledge.Entry
	for _, e := range list {
		if strings.HasPrefix(e.ID, id) {
			found = append(found, e)
		}
	}
	if len(found) != 1 {
		return knowledge.Entry{}, hint(fmt.Errorf("%d games have an id that begins with %q", len(found), id), "playtest knowledge list shows the ids")
	}
	return found[0], nil
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
