package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/playtest-dev/playtest/record"
)

// newMan is for those who make packages: it is not listed.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use: "man DIR", Short: "Write the manual pages", Hidden: true,
		Example: "  playtest man /usr/local/share/man/man1",
		Args:    arguments(1, 1, "the folder for the pages"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("the folder for the pages: %w", withoutOp(err))
			}
			return writeMan(cmd.Root(), args[0])
		},
	}
}

// writeMan writes a page for the command and for each below it.
func writeMan(cmd *cobra.Command, dir string) error {
	cmd.InitDefaultHelpFlag()
	file := filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1")
	if err := os.WriteFile(file, []byte(manPage(cmd)), 0o644); err != nil {
		return fmt.Errorf("writing a page: %w", withoutOp(err))
	}
	for _, c := range cmd.Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		if err := writeMan(c, dir); err != nil {
			return err
		}
	}
	return nil
}

// manPage is a command's help in the language of man.
func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH \"%s\" 1 \"\" \"playtest %s\" \"playtest\"\n", strings.ToUpper(name), record.Version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(cmd.UseLine()))
	long := cmd.Long
	if long == "" {
		long = cmd.Short
	}
	b.WriteString(".SH DESCRIPTION\n")
	for paragraph := range strings.SplitSeq(long, "\n\n") {
		fmt.Fprintf(&b, ".PP\n%s\n", roff(paragraph))
	}
	flags := func(title string, set *pflag.FlagSet) {
		if !set.HasAvailableFlags() {
			return
		}
		fmt.Fprintf(&b, ".SH %s\n", title)
		set.VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			kind, use := pflag.UnquoteUsage(f)
			form := "\\-\\-" + roff(f.Name)
			if f.Shorthand != "" {
				form = "\\-" + roff(f.Shorthand) + ", " + form
			}
			if kind != "" {
				form += " \\fI" + roff(kind) + "\\fR"
			}
			if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "[]" && f.DefValue != "0s" {
				use += " (default " + f.DefValue + ")"
			}
			fmt.Fprintf(&b, ".TP\n%s\n%s\n", form, roff(use))
		})
	}
	flags("OPTIONS", cmd.LocalFlags())
	flags("GLOBAL OPTIONS", cmd.InheritedFlags())
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(cmd.Example))
	}
	var also []string
	if cmd.HasParent() {
		also = append(also, strings.ReplaceAll(cmd.Parent().CommandPath(), " ", "-"))
	}
	for _, c := range cmd.Commands() {
		if !c.Hidden && c.Name() != "help" {
			also = append(also, strings.ReplaceAll(c.CommandPath(), " ", "-"))
		}
	}
	if len(also) > 0 {
		b.WriteString(".SH SEE ALSO\n")
		for i, a := range also {
			comma := ","
			if i == len(also)-1 {
				comma = ""
			}
			fmt.Fprintf(&b, ".BR %s (1)%s\n", roff(a), comma)
		}
	}
	return b.String()
}

// roff keeps text from being taken for requests.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
