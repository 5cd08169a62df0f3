package game

import (
	"net/url"

	"golang.org/x/net/publicsuffix"
)

// Host is the host name of an address, "" if it has none.
func Host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// SameSite reports whether two addresses are of one site: play.example.com and
// www.example.com are.
func SameSite(a, b string) bool { return site(Host(a)) == site(Host(b)) }

// site is the part of a host name that somebody registered.
func site(host string) string {
	if registered, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return registered
	}
	return host
}
