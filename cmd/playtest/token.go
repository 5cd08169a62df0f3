package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/internal/store"
)

func newToken() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Who may talk to the server, and what they may do",
		Long: `Token makes, lists and revokes what programs and people show to playtest serve. A
token belongs to a project and sees nothing of others. Its scopes say what it may
do: submit runs, read them, cancel them; admin may do everything in its project.

Only a hash of a token is kept: it is printed once, when it is made.`,
		Example: `  playtest token create --name ci --scope submit --scope read
  playtest token list
  playtest token revoke 9f86d081884c`,
		Args: noSuchCommand,
		RunE: showHelp,
	}
	cmd.AddCommand(newTokenCreate(), newTokenList(), newTokenRevoke())
	return cmd
}

func scopeNames() []string {
	var names []string
	for _, s := range store.Scopes {
		names = append(names, string(s))
	}
	return names
}

func newTokenCreate() *cobra.Command {
	var s storage
	var project, name string
	var scopes []string
	var valid time.Duration
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Make a token and print it",
		Long: `Create makes a token and prints it on stdout, once. A project that is not there yet
is made with it.`,
		Example: `  playtest token create --name ci --scope submit --scope read
  playtest token create --name maria --scope admin --project studio-two --expires 2160h`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			if valid < 0 {
				return usage(cmd, "--expires %s is negative", valid)
			}
			var allowed []store.Scope
			for _, sc := range scopes {
				if !slices.Contains(scopeNames(), sc) {
					return usage(cmd, "--scope %q is not one of %s", sc, strings.Join(scopeNames(), ", "))
				}
				allowed = append(allowed, store.Scope(sc))
			}
			db, err := s.openStore(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			text, id, err := db.AddToken(cmd.Context(), project, name, allowed, valid)
			if err != nil {
				return err
			}
			if err := operated(cmd, db, project, "token.create", id, strings.Join(scopes, ", ")); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "token %s of project %s may %s; it is shown only now\n", id, project, strings.Join(scopes, ", "))
			fmt.Fprintln(cmd.OutOrStdout(), text)
			return nil
		},
	}
	s.registerDB(cmd)
	f := cmd.Flags()
	f.StringVar(&project, "project", store.DefaultProject, "the `PROJECT` that it belongs to")
	f.StringVar(&name, "name", "", "a `NAME` to know it by")
	f.StringArrayVar(&scopes, "scope", []string{string(store.ScopeRead)}, "what it may do, can be repeated: "+strings.Join(scopeNames(), ", "))
	f.DurationVar(&valid, "expires", 0, "it ends after this time; 0 for never")
	cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions(scopeNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func newTokenList() *cobra.Command {
	var s storage
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List tokens",
		Example: `  playtest token list
  playtest token list --json`,
		Args: arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			db, err := s.openStore(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			tokens, err := db.Tokens(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return writeIndented(cmd, tokens)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "TOKEN\tPROJECT\tNAME\tSCOPES\tSTATE\tLAST USED")
			for _, t := range tokens {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, t.Project, oneLine(t.Name), joinScopes(t.Scopes), tokenState(t), lastUsed(t))
			}
			return w.Flush()
		},
	}
	s.registerDB(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func joinScopes(scopes []store.Scope) string {
	var names []string
	for _, s := range scopes {
		names = append(names, string(s))
	}
	return strings.Join(names, ",")
}

func tokenState(t store.Token) string {
	switch {
	case !t.Revoked.IsZero():
		return "revoked"
	case !t.Valid:
		return "expired"
	case !t.Expires.IsZero():
		return "until " + t.Expires.Local().Format(time.DateTime)
	}
	return "valid"
}

func lastUsed(t store.Token) string {
	if t.Used.IsZero() {
		return "never"
	}
	return t.Used.Local().Format(time.DateTime)
}

func newTokenRevoke() *cobra.Command {
	var s storage
	cmd := &cobra.Command{
		Use:     "revoke TOKEN...",
		Short:   "End tokens, by the name that list shows, and everybody's sessions with them",
		Example: `  playtest token revoke 9f86d081884c`,
		Args:    arguments(1, 1000, "the token"),
		RunE: func(cmd *cobra.Command, args []string) error {
			db, err := s.openStore(cmd.Context())
			if err != nil {
				return err
			}
			defer db.Close()
			tokens, err := db.Tokens(cmd.Context())
			if err != nil {
				return err
			}
			for _, id := range args {
				was, err := db.RevokeToken(cmd.Context(), id)
				if err != nil {
					return err
				}
				at := slices.IndexFunc(tokens, func(t store.Token) bool { return t.ID == id })
				if !was || at < 0 {
					return hint(fmt.Errorf("there is no valid token %s", oneLine(id)), "playtest token list shows those that are there")
				}
				if err := operated(cmd, db, tokens[at].Project, "token.revoke", id, ""); err != nil {
					return err
				}
			}
			return nil
		},
	}
	s.registerDB(cmd)
	return cmd
}

// operated notes in a project's log what was done by a command, beside what is done
// through the server.
func operated(cmd *cobra.Command, db *store.Store, project, action, subject, detail string) error {
	return db.Project(project).Note(cmd.Context(), store.Audit{Actor: "the command line", Action: action, Subject: subject, Detail: detail})
}
