package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/playtest-dev/playtest/browser"
	"github.com/playtest-dev/playtest/internal/egress"
	"github.com/playtest-dev/playtest/internal/queue"
	"github.com/playtest-dev/playtest/internal/store"
	"github.com/playtest-dev/playtest/record"
)

// reach is the flags that say what pages may reach: over the network, and on
// this machine should they get out of the browser.
type reach struct {
	local  bool
	webrtc bool
	user   string
	// admits says which local addresses may be named, nil for all: whoever names
	// them is not always the one who started us.
	admits func(host string, addr netip.Addr) bool
}

func (r *reach) register(cmd *cobra.Command, local string) {
	cmd.Flags().BoolVar(&r.local, "allow-local", false, local)
	cmd.Flags().StringVar(&r.user, "browser-user", browser.AnyUser, "the `USER` that Chromium runs as, for root: auto is nobody where that works")
	cmd.Flags().BoolVar(&r.webrtc, "allow-webrtc", false, "let pages send WebRTC packets, which go to any address")
}

const (
	allowLocalTyped  = "let pages reach local addresses other than the one that you name (also $PLAYTEST_ALLOW_LOCAL)"
	allowLocalWorker = "let pages reach loopback, private and other addresses that are not public (also $PLAYTEST_ALLOW_LOCAL)"
)

func (r *reach) allowLocal() bool {
	return r.local || os.Getenv("PLAYTEST_ALLOW_LOCAL") == "1"
}

// launch adds what a browser needs whose contexts go through a proxy.
func (r *reach) launch(opts *browser.LaunchOptions) *browser.LaunchOptions {
	opts.Proxied = true
	opts.WebRTC = r.webrtc
	opts.User = r.user
	return opts
}

// typed is the policy of somebody who named an address. Admits is asked of what the
// policy is made of, since a name may resolve to something else a moment later.
func (r *reach) typed(ctx context.Context, address string) (*egress.Policy, error) {
	policy, err := egress.ForTarget(ctx, address, nil)
	if err != nil {
		return nil, err
	}
	policy.Local = r.allowLocal()
	if r.admits == nil {
		return policy, nil
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	policy.Allow = slices.DeleteFunc(policy.Allow, func(a netip.AddrPort) bool { return !r.admits(u.Hostname(), a.Addr()) })
	return policy, nil
}

// near reports whether a browser can reach a proxy on our loopback interface:
// one that we launch, or one that runs on this machine.
func near(choice string) bool {
	if isBrowserbase(choice) {
		return false
	}
	if !isAddress(choice) {
		return true
	}
	u, err := url.Parse(choice)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// through gives ctx a proxy for an address that somebody typed. The contexts
// that are opened with it go through the proxy until done is called.
func (r *reach) through(ctx context.Context, choice, address string, log *slog.Logger) (proxied context.Context, proxy *egress.Proxy, done func(), err error) {
	if !near(choice) {
		if log != nil {
			log.Warn("the browser runs elsewhere: what its pages reach is not checked")
		}
		return ctx, nil, func() {}, nil
	}
	policy, err := r.typed(ctx, address)
	if err != nil {
		return nil, nil, nil, err
	}
	proxy, err = egress.Listen(policy, &egress.Options{Upstream: http.ProxyFromEnvironment, Log: log})
	if err != nil {
		return nil, nil, nil, err
	}
	return browser.WithProxy(ctx, proxy), proxy, func() { _ = proxy.Close() }, nil
}

// guarded plays each run behind a proxy of its own, which lets nothing through
// that is not public, nor the worker's database and bucket.
func (w *workerSettings) guarded(play queue.Player, log *slog.Logger) queue.Player {
	if !near(w.play.browserChoice()) {
		log.Warn("the browser runs elsewhere: what its pages reach is not checked")
		return play
	}
	return func(ctx context.Context, h *queue.Held) (*record.Record, *record.Report, error) {
		policy := &egress.Policy{}
		if w.typed != nil && w.typed(h) {
			var err error
			if policy, err = egress.ForTarget(ctx, h.Target.URL, nil); err != nil {
				return nil, nil, &queue.Permanent{Err: err}
			}
		}
		policy.Local = w.reach.allowLocal()
		policy.Own(ctx, nil, append(w.storage.servers(), w.doors...)...)
		if reason := policy.CheckURL(ctx, h.Target.URL, nil); reason != "" {
			return nil, nil, &queue.Permanent{Err: fmt.Errorf("playtest refused the game's address: it is %s", reason)}
		}
		proxy, err := egress.Listen(policy, &egress.Options{Upstream: http.ProxyFromEnvironment, Log: log})
		if err != nil {
			return nil, nil, err
		}
		defer proxy.Close()
		return play(browser.WithProxy(ctx, proxy), h)
	}
}

// servers are the addresses of the database and the bucket, where they have any. No
// game may reach them.
func (s *storage) servers() []string {
	servers := store.Servers(s.dbAddress())
	if u, err := url.Parse(s.evidenceAddress()); err == nil && u.Scheme == "s3" {
		if endpoint := u.Query().Get("endpoint"); endpoint != "" {
			servers = append(servers, endpoint)
		}
	}
	return servers
}
