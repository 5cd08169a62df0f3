package browser

import (
	"context"
	"net/url"

	"github.com/chromedp/cdproto/fetch"
)

// Credentials are a user name and a password that one site asks for.
type Credentials struct {
	// Origin is the only one that gets them, such as "https://example.com:8443".
	Origin             string
	Username, Password string
}

// CredentialsOf takes the user name and the password out of an address. They
// are nil when it has none. Pages do not work at an address that holds them:
// Chromium refuses to fetch what is relative to it.
func CredentialsOf(address string) (clean string, c *Credentials) {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address, nil
	}
	password, _ := u.User.Password()
	c = &Credentials{Origin: u.Scheme + "://" + u.Host, Username: u.User.Username(), Password: password}
	u.User = nil
	return u.String(), c
}

type credentialsKey struct{}

// WithCredentials has the contexts that are opened with the returned context
// answer with c where its origin asks for a password, unless their options have
// others. A nil c changes nothing.
func WithCredentials(ctx context.Context, c *Credentials) context.Context {
	if c == nil {
		return ctx
	}
	return context.WithValue(ctx, credentialsKey{}, c)
}

// challenged answers a site, or a proxy, that asks for a password. A password
// that was refused is not sent again.
func (p *Page) challenged(s *Session, ev *fetch.EventAuthRequired) {
	answer := fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseCancelAuth}
	c := p.context.opts.Credentials
	if c != nil && ev.AuthChallenge != nil && ev.AuthChallenge.Source == fetch.AuthChallengeSourceServer && ev.AuthChallenge.Origin == c.Origin {
		id := string(ev.RequestID)
		p.mu.Lock()
		tried := p.tried[id]
		if len(p.tried) > maxFlying {
			clear(p.tried)
		}
		p.tried[id] = true
		p.mu.Unlock()
		if !tried {
			answer = fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseProvideCredentials, Username: c.Username, Password: c.Password}
		}
	}
	s.Start(fetch.CommandContinueWithAuth, fetch.ContinueWithAuthParams{RequestID: ev.RequestID, AuthChallengeResponse: &answer})
}
