package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/probe"
	"github.com/playtest-dev/playtest/browser/snapshot"
	"github.com/playtest-dev/playtest/internal/egress"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/record"
	"github.com/playtest-dev/playtest/stage"
)

// pageFlags are those of the commands that open one page and do one thing to it.
type pageFlags struct {
	browser string
	headed  bool
	model   string
	budget  float64
	vars    []string
	// varOrigins are as given, origins by variable.
	varOrigins []string
	origins    map[string][]string
	within     string
	ignore     []string
	state      string
	snapshot   bool
	form       string
	tokens     int
	part       int
	timeout    time.Duration
	verbose    bool
	session    string
	reach      reach
	// Of act alone.
	cache, shot string
}

func (p *pageFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.browser, "browser", "auto", "auto, the `PATH` of a Chromium, or the ws:// or http:// address of a running one (also $PLAYTEST_BROWSER)")
	f.BoolVar(&p.headed, "headed", false, "show the browser's window")
	f.StringVar(&p.model, "model", "", "`MODEL` chain such as anthropic/claude-haiku-5-5,openai/gpt-6-luna (also $PLAYTEST_MODEL)")
	f.Float64Var(&p.budget, "budget", 0, "most `DOLLARS` to spend, the configuration's if 0")
	f.StringArrayVar(&p.vars, "var", nil, "variable `NAME=VALUE` for %NAME%; NAME alone takes $PLAYTEST_VAR_NAME or $NAME. The model never sees the value")
	f.StringArrayVar(&p.varOrigins, "var-origin", nil, "type the variable only into pages of this site: `NAME=ORIGIN`, such as password=https://example.com")
	f.StringVar(&p.within, "within", "", "look only in the element of this `SELECTOR`: CSS, XPath, text=, role= or an id of the snapshot, with \" >> \" into frames")
	f.StringArrayVar(&p.ignore, "ignore", nil, "leave out the elements of this `SELECTOR`")
	f.StringVar(&p.state, "storage-state", "", "JSON `FILE` with cookies and local storage: read before, if it is there, and written afterwards")
	cmd.MarkFlagFilename("storage-state", "json")
	f.BoolVar(&p.snapshot, "snapshot", false, "print the page as the model would see it, and ask none")
	f.StringVar(&p.form, "form", string(snapshot.Full), "form of the snapshot: full, interactive, viewport")
	f.IntVar(&p.tokens, "tokens", 0, "limit the snapshot to about `N` tokens")
	f.IntVar(&p.part, "part", 1, "which `PART` of a limited snapshot to print")
	f.DurationVar(&p.timeout, "timeout", 2*time.Minute, "longest time for all of it")
	p.reach.register(cmd, allowLocalTyped)
	f.BoolVarP(&p.verbose, "verbose", "v", false, "tell each step on stderr")
	f.StringVar(&p.session, "session", "", "keep the browser and its page for the next call under this `NAME`")
	cmd.RegisterFlagCompletionFunc("form", cobra.FixedCompletions(forms, cobra.ShellCompDirectiveNoFileComp))
}

var forms = []string{string(snapshot.Full), string(snapshot.Interactive), string(snapshot.InView)}

// check finds mistakes of the command line before a browser is started.
func (p *pageFlags) check(cmd *cobra.Command, address string) (map[string]string, error) {
	if err := record.ValidateURL(address); errors.Is(err, record.ErrUserInfo) {
		return nil, usage(cmd, "the address holds a user name or a password, which only playtest run can keep to itself")
	} else if err != nil {
		return nil, usage(cmd, "%v", err)
	}
	ok := false
	for _, f := range forms {
		ok = ok || f == p.form
	}
	if !ok {
		return nil, usage(cmd, "--form %q is not one of %s", p.form, strings.Join(forms, ", "))
	}
	if p.session != "" && !sessionName.MatchString(p.session) {
		return nil, usage(cmd, "--session %q: letters, digits, - and _ make a name", p.session)
	}
	if p.timeout < time.Second {
		return nil, usage(cmd, "--timeout %s is shorter than a second", p.timeout)
	}
	vars := make(map[string]string)
	for _, v := range p.vars {
		name, value, given := strings.Cut(v, "=")
		if name == "" {
			return nil, usage(cmd, "--var %q has no name", v)
		}
		if !given {
			value, given = os.LookupEnv("PLAYTEST_VAR_" + strings.ToUpper(name))
			if !given {
				value, given = os.LookupEnv(name)
			}
			if !given {
				return nil, usage(cmd, "--var %s has no value, and neither PLAYTEST_VAR_%s nor %s is set", name, strings.ToUpper(name), name)
			}
		}
		vars[name] = value
	}
	if err := stage.CheckVariables(vars); err != nil {
		return nil, usage(cmd, "--var: %v", err)
	}
	p.origins = make(map[string][]string)
	for _, bound := range p.varOrigins {
		name, origin, _ := strings.Cut(bound, "=")
		if _, ok := vars[name]; !ok {
			return nil, usage(cmd, "--var-origin %q: there is no --var %s", bound, name)
		}
		if u, err := url.Parse(origin); err != nil || u.Host == "" || strings.TrimSuffix(u.Path, "/") != "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, usage(cmd, "--var-origin %q: want NAME=https://example.com or NAME=https://*.example.com", bound)
		}
		p.origins[name] = append(p.origins[name], origin)
	}
	if _, err := p.storage(); err != nil {
		return nil, usage(cmd, "--storage-state: %v", err)
	}
	return vars, nil
}

// storage is the storage state that was asked for, nil when there is none yet.
func (p *pageFlags) storage() (*browser.StorageState, error) {
	if p.state == "" {
		return nil, nil
	}
	s, err := browser.LoadStorageState(p.state)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return s, err
}

// keepStorage writes the storage state, for the next call.
func (p *pageFlags) keepStorage(ctx context.Context, page *browser.Page) error {
	if p.state == "" {
		return nil
	}
	s, err := page.Context().StorageState(ctx)
	if err != nil {
		return err
	}
	return s.SaveTo(p.state)
}

// gateway opens the chosen models. No model is nil: what needs one says so.
func (p *pageFlags) gateway() (model.Model, error) {
	var given *float64
	if p.budget > 0 {
		given = &p.budget
	}
	run, _, err := openModels(given, named(p.model))
	if errors.Is(err, model.ErrNoModel) && p.model == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return run, nil
}

// on opens the page, makes a stage of it and has do act there. With --snapshot
// the tree is printed instead.
func (p *pageFlags) on(cmd *cobra.Command, url string, do func(context.Context, *stage.Stage) (any, error)) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), p.timeout)
	defer cancel()
	var m model.Model
	if !p.snapshot {
		var err error
		if m, err = p.gateway(); err != nil {
			return err
		}
	}
	k, done, err := p.open(ctx, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	defer done()
	page := k.page
	if err := k.visit(ctx, url); err != nil {
		return err
	}
	cache, err := cacheFor(p.cache)
	if err != nil {
		return err
	}
	opts := &stage.Options{Probe: k.probe, Cache: cache, Ignore: p.ignore, Origins: p.origins}
	if p.verbose {
		opts.OnStep = func(s stage.Step) {
			fmt.Fprintf(cmd.ErrOrStderr(), "%-8s %6s  %s\n", s.Verb, s.Took.Round(time.Millisecond), s.Detail)
		}
	}
	st, err := stage.New(ctx, page, m, opts)
	if err != nil {
		return err
	}
	if p.snapshot {
		return errors.Join(p.print(ctx, cmd, st), p.keepStorage(ctx, page))
	}
	result, err := do(ctx, st)
	if p.shot != "" {
		err = errors.Join(err, saveShot(ctx, page, p.shot))
	}
	if err == nil {
		err = p.keepStorage(ctx, page)
	}
	if errors.Is(err, model.ErrNoModel) {
		return hint(errors.New("no model is configured"), "name one with --model and its key in the environment (docs/models.md), or use --snapshot, which needs none")
	}
	if result != nil {
		out := json.NewEncoder(cmd.OutOrStdout())
		out.SetIndent("", "  ")
		out.SetEscapeHTML(false)
		if encErr := out.Encode(result); encErr != nil {
			return errors.Join(encErr, err)
		}
	}
	return err
}

func saveShot(ctx context.Context, page *browser.Page, path string) error {
	png, err := page.Screenshot(ctx, nil)
	if err != nil {
		return fmt.Errorf("taking the picture: %w", err)
	}
	if err := os.WriteFile(path, png, 0o644); err != nil {
		return fmt.Errorf("keeping the picture: %w", withoutOp(err))
	}
	return nil
}

// open is the session's page, or one of a browser that done closes again.
func (p *pageFlags) open(ctx context.Context, stderr io.Writer) (k *keptPage, done func(), err error) {
	done = func() {}
	if k = kept(ctx); k == nil {
		k = &keptPage{}
		done = func() { _ = k.close() }
	} else if k.browser != nil && k.browser.Err() == nil && !k.page.Closed() {
		return k, done, nil
	}
	// The browser of a session lives longer than the call that opens it, and so
	// does its proxy, which learns of addresses as they are visited.
	choice := (&settings{browser: p.browser}).browserChoice()
	if k.browser, err = openBrowser(ctx, choice, p.reach.launch(&browser.LaunchOptions{Headed: p.headed})); err != nil {
		return nil, nil, err
	}
	warnUnsandboxed(stderr, k.browser)
	k.url, k.reach = "", &p.reach
	if k.proxy != nil {
		_ = k.proxy.Close() // of a browser that died
		k.proxy = nil
	}
	proxied := ctx
	if near(choice) {
		k.proxy, err = egress.Listen(&egress.Policy{Local: p.reach.allowLocal()}, &egress.Options{Upstream: http.ProxyFromEnvironment})
		if err != nil {
			_ = k.close()
			return nil, nil, err
		}
		proxied = browser.WithProxy(ctx, k.proxy)
	}
	var c *browser.Context
	state, err := p.storage()
	if err == nil {
		c, err = k.browser.NewContext(proxied, &browser.ContextOptions{Storage: state})
	}
	if err == nil {
		k.probe = probe.New()
		k.page, err = c.NewPage(ctx, &browser.PageOptions{InitScripts: []browser.InitScript{k.probe.Script()}})
	}
	if err != nil {
		_ = k.close()
		return nil, nil, err
	}
	return k, done, nil
}

// close ends the browser and its way out.
func (k *keptPage) close() error {
	var err error
	if k.browser != nil {
		err = k.browser.Close()
	}
	if k.proxy != nil {
		err = errors.Join(err, k.proxy.Close())
	}
	k.browser, k.proxy = nil, nil
	return err
}

// visit opens an address and waits until its document is there. In a session
// the page stays as it is when it is asked for again.
func (k *keptPage) visit(ctx context.Context, url string) error {
	if k.url == url {
		return nil
	}
	k.url = ""
	if k.proxy != nil {
		policy, err := k.reach.typed(ctx, url)
		if err != nil {
			return err
		}
		k.proxy.Admit(policy)
	}
	resp, err := k.page.Navigate(ctx, url, nil)
	if err != nil {
		return hint(fmt.Errorf("%s could not be opened: %w", url, err), "check the address, and that the server is running")
	}
	if resp.Status >= 400 {
		return hint(fmt.Errorf("%s answers with status %d", url, resp.Status), "check the address")
	}
	bound, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	// A page that never finishes loading is looked at as it is.
	_ = k.page.WaitLoad(bound, browser.Complete)
	k.url = url
	return ctx.Err()
}

func (p *pageFlags) print(ctx context.Context, cmd *cobra.Command, st *stage.Stage) error {
	look := st.Snapshot
	if snapshot.Form(p.form) == snapshot.InView && p.within == "" {
		look = st.View
	}
	snap, err := look(ctx)
	if err != nil {
		return err
	}
	opts := &snapshot.FormatOptions{Form: snapshot.Form(p.form), Tokens: p.tokens, Part: p.part}
	if p.within != "" {
		n, err := st.Find(ctx, snap, p.within)
		if errors.Is(err, stage.ErrUnknownID) {
			return fmt.Errorf("--within %s is not on the page", p.within)
		}
		if err != nil {
			return fmt.Errorf("--within: %w", err)
		}
		opts.Within = n.ID
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), snap.Format(opts).Text)
	return err
}
