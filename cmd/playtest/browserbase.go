package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/browser/browserbase"
)

// isBrowserbase tells the service from a path or an address: browserbase, or
// browserbase?region=eu-central-1&timeout=600&keepAlive=true&proxies=true.
func isBrowserbase(choice string) bool {
	return choice == "browserbase" || strings.HasPrefix(choice, "browserbase?")
}

// browserbaseOptions are what --browser and the environment say. Whatever is
// missing shows here, before anything is spent.
func browserbaseOptions(choice string, log *slog.Logger) (*browserbase.Options, error) {
	opts := &browserbase.Options{
		APIKey: os.Getenv("BROWSERBASE_API_KEY"), ProjectID: os.Getenv("BROWSERBASE_PROJECT_ID"), BaseURL: os.Getenv("BROWSERBASE_BASE_URL"),
		Metadata: map[string]string{"by": "playtest"}, Log: log,
	}
	if opts.APIKey == "" {
		return nil, hint(errors.New("--browser browserbase needs a key, and $BROWSERBASE_API_KEY is not set"),
			"the key and the project are in the settings at browserbase.com: BROWSERBASE_API_KEY, BROWSERBASE_PROJECT_ID")
	}
	_, query, _ := strings.Cut(choice, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, fmt.Errorf("--browser %s cannot be read: %w", choice, err)
	}
	for name := range values {
		value := values.Get(name)
		switch name {
		case "region":
			opts.Region = value
		case "timeout":
			var seconds int
			seconds, err = strconv.Atoi(value)
			opts.Timeout = time.Duration(seconds) * time.Second
		case "keepAlive":
			opts.KeepAlive, err = strconv.ParseBool(value)
		case "proxies":
			opts.Proxies, err = strconv.ParseBool(value)
		default:
			err = errors.New("want region, timeout, keepAlive or proxies")
		}
		if err != nil {
			return nil, fmt.Errorf("--browser browserbase: %s=%s: %w", name, value, err)
		}
	}
	return opts, opts.Check()
}

func openBrowserbase(ctx context.Context, choice string, log *slog.Logger) (*browser.Browser, error) {
	opts, err := browserbaseOptions(choice, log)
	if err != nil {
		return nil, err
	}
	b, err := browserbase.Open(ctx, opts)
	switch {
	case errors.Is(err, browserbase.ErrUnauthorized):
		return nil, hint(err, "see that $BROWSERBASE_API_KEY and $BROWSERBASE_PROJECT_ID belong together")
	case errors.Is(err, browserbase.ErrLimit):
		return nil, hint(err, "end other sessions, play fewer games at a time, or ask for a larger plan")
	}
	return b, err
}

// browserHeaders are what a remote browser wants to be sent with the handshake:
// lines of $PLAYTEST_BROWSER_HEADERS such as "Authorization: Bearer TOKEN".
func browserHeaders() (http.Header, error) {
	header := http.Header{}
	for line := range strings.Lines(os.Getenv("PLAYTEST_BROWSER_HEADERS")) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || name == "" || strings.ContainsAny(name, " \t") {
			return nil, hint(errors.New("$PLAYTEST_BROWSER_HEADERS has a line that is no header"), `want lines such as "Authorization: Bearer TOKEN"`)
		}
		header.Add(name, strings.TrimSpace(value))
	}
	return header, nil
}
