package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Policy says which addresses may be reached. The zero value allows what is
// public and nothing else.
type Policy struct {
	// Local allows addresses that are not public, too: loopback, private
	// networks and the like.
	Local bool
	// Allow are addresses that may be reached although they are not public.
	Allow []netip.AddrPort
	// Deny are addresses that must not be reached although they are public, or
	// although Local is set: the program's own database and bucket.
	Deny []netip.AddrPort
	// Pinned are names that keep the addresses that they had when somebody typed
	// them, whatever they resolve to later; in lower case.
	Pinned map[string][]netip.Addr
}

// Resolver looks up the addresses of a name. *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// RefusedError says that an address must not be reached.
type RefusedError struct {
	Address string // host and port, as asked for
	Reason  string // such as "a loopback address"
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s refused: it is %s", e.Address, e.Reason)
}

// Check returns why the address must not be reached, "" when it may.
func (p *Policy) Check(addr netip.AddrPort) string {
	plain := netip.AddrPortFrom(addr.Addr().Unmap().WithZone(""), addr.Port())
	for _, denied := range p.Deny {
		if denied == plain || denied.Port() == plain.Port() && here(denied.Addr()) && here(plain.Addr()) {
			return "an address of playtest's own"
		}
	}
	if p.Local {
		return ""
	}
	for _, allowed := range p.Allow {
		if allowed == plain && !addr.Addr().Is4In6() {
			return ""
		}
	}
	return special(addr.Addr())
}

// here reports whether connecting to the address ends on this machine for certain.
// All such addresses lead to whoever listens on all of them: a database on
// 127.0.0.1 is as well reached by 0.0.0.0 and often by 127.0.0.2.
func here(addr netip.Addr) bool { return addr.IsLoopback() || addr.IsUnspecified() }

// metadata is the name of addresses where a cloud tells its machines their keys.
const metadata = "a cloud's metadata address"

// ranges are the addresses that are not the public internet's, the narrower
// before the wider where one lies in the other. A name is given to each so that
// a report can say more than "forbidden".
var ranges = []struct {
	prefix netip.Prefix
	name   string
}{
	{netip.MustParsePrefix("169.254.169.254/32"), metadata},
	{netip.MustParsePrefix("169.254.170.2/32"), metadata},
	{netip.MustParsePrefix("100.100.100.200/32"), metadata},
	{netip.MustParsePrefix("168.63.129.16/32"), metadata},
	{netip.MustParsePrefix("192.0.0.192/32"), metadata},
	{netip.MustParsePrefix("fd00:ec2::/32"), metadata},
	{netip.MustParsePrefix("0.0.0.0/8"), "an unspecified address"},
	{netip.MustParsePrefix("10.0.0.0/8"), "a private address"},
	{netip.MustParsePrefix("100.64.0.0/10"), "a carrier-grade address"},
	{netip.MustParsePrefix("127.0.0.0/8"), "a loopback address"},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address"},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private address"},
	{netip.MustParsePrefix("192.0.0.0/24"), "a reserved address"},
	{netip.MustParsePrefix("192.0.2.0/24"), "a reserved address"},
	{netip.MustParsePrefix("192.88.99.0/24"), "a reserved address"},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private address"},
	{netip.MustParsePrefix("198.18.0.0/15"), "a reserved address"},
	{netip.MustParsePrefix("198.51.100.0/24"), "a reserved address"},
	{netip.MustParsePrefix("203.0.113.0/24"), "a reserved address"},
	{netip.MustParsePrefix("224.0.0.0/4"), "a multicast address"},
	{netip.MustParsePrefix("240.0.0.0/4"), "a reserved address"},
	{netip.MustParsePrefix("::1/128"), "a loopback address"},
	{netip.MustParsePrefix("::/96"), "an address that stands for another"},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), "an address that stands for another"},
	{netip.MustParsePrefix("64:ff9b::/96"), "an address that stands for another (NAT64)"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "an address that stands for another (NAT64)"},
	{netip.MustParsePrefix("100::/64"), "a reserved address"},
	{netip.MustParsePrefix("2001::/23"), "a reserved address"},
	{netip.MustParsePrefix("2001:db8::/32"), "a reserved address"},
	{netip.MustParsePrefix("2002::/16"), "an address that stands for another (6to4)"},
	{netip.MustParsePrefix("3fff::/20"), "a reserved address"},
	{netip.MustParsePrefix("5f00::/16"), "a reserved address"},
	{netip.MustParsePrefix("fc00::/7"), "a private address"},
	{netip.MustParsePrefix("fe80::/10"), "a link-local address"},
	{netip.MustParsePrefix("fec0::/10"), "a private address"},
	{netip.MustParsePrefix("ff00::/8"), "a multicast address"},
}

// special names what an address is when it is not public, "" when it is.
func special(addr netip.Addr) string {
	if !addr.IsValid() {
		return "no address"
	}
	if addr.Is4In6() {
		// Nobody is reached this way who has nothing to hide.
		return "an IPv4 address in IPv6 clothing"
	}
	addr = addr.WithZone("")
	for _, r := range ranges {
		if r.prefix.Contains(addr) {
			return r.name
		}
	}
	return ""
}

// pinned are the addresses that a name keeps, nil when it may change.
func (p *Policy) pinned(host string) []netip.Addr { return p.Pinned[plainHost(host)] }

func (p *Policy) pin(host string, addr netip.Addr) {
	if p.Pinned == nil {
		p.Pinned = map[string][]netip.Addr{}
	}
	name := plainHost(host)
	p.Pinned[name] = append(p.Pinned[name], addr)
}

// plainHost is the one way to write a name.
func plainHost(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// lookup returns the addresses of a host: those that it spells out, or those
// that its name resolves to.
func lookup(ctx context.Context, r Resolver, host string) ([]netip.Addr, error) {
	host = strings.TrimSuffix(host, ".")
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr}, nil
	}
	// Browsers take these for themselves without asking anybody.
	if lower := strings.ToLower(host); lower == "localhost" || strings.HasSuffix(lower, ".localhost") {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	found, err := r.LookupNetIP(ctx, "ip", host)
	for i, addr := range found {
		found[i] = addr.Unmap() // how a resolver writes plain IPv4
	}
	if err == nil && len(found) == 0 {
		err = &net.DNSError{Err: "no addresses", Name: host, IsNotFound: true}
	}
	return found, err
}

// ForTarget is the policy of somebody who typed an address: it may be a local
// one, and then that host and port may be reached, and no other local one. A nil
// resolver is the system's.
//
// Whoever owns a name decides what it resolves to each time it is asked for, so
// it is resolved once. One that has local addresses keeps those and no others: no
// page can come from elsewhere under that name and then read what is local. One
// that has none will not be let through to a local one later. The metadata of a
// cloud is nobody's game.
func ForTarget(ctx context.Context, address string, r Resolver) (*Policy, error) {
	host, addrs, err := addresses(ctx, address, r)
	if err != nil {
		return nil, err
	}
	p := &Policy{}
	for _, addr := range addrs {
		if reason := special(addr.Addr()); reason == "" || reason == metadata {
			continue
		}
		p.pin(host, addr.Addr())
		p.Allow = append(p.Allow, addr)
		// A server that sends its visitors from http to https is one server.
		switch addr.Port() {
		case 80:
			p.Allow = append(p.Allow, netip.AddrPortFrom(addr.Addr(), 443))
		case 443:
			p.Allow = append(p.Allow, netip.AddrPortFrom(addr.Addr(), 80))
		}
	}
	return p, nil
}

// Own adds addresses that must never be reached, such as a database's, written
// as URLs or as host:port. What cannot be read or resolved is skipped: it cannot
// be reached by its name either.
func (p *Policy) Own(ctx context.Context, r Resolver, where ...string) {
	for _, address := range where {
		_, addrs, err := addresses(ctx, address, r)
		if err == nil {
			p.Deny = append(p.Deny, addrs...)
		}
	}
}

var ports = map[string]uint16{"http": 80, "ws": 80, "https": 443, "wss": 443, "postgres": 5432, "postgresql": 5432}

// addresses resolves a URL or a host:port. A name that does not resolve is no
// error: whoever connects will hear of it.
func addresses(ctx context.Context, address string, r Resolver) (host string, out []netip.AddrPort, err error) {
	if r == nil {
		r = net.DefaultResolver
	}
	if !strings.Contains(address, "://") {
		address = "tcp://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return "", nil, errors.New("the address cannot be read")
	}
	port := ports[u.Scheme]
	if text := u.Port(); text != "" {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil {
			return "", nil, fmt.Errorf("the address has no port %q", text)
		}
		port = uint16(n)
	}
	host = u.Hostname()
	found, err := lookup(ctx, r, host)
	if err != nil {
		return host, nil, nil
	}
	for _, addr := range found {
		out = append(out, netip.AddrPortFrom(addr, port))
	}
	return host, out, nil
}

// CheckURL returns why nothing at the address may be reached, "" when something
// may, or when it cannot be told yet.
func (p *Policy) CheckURL(ctx context.Context, address string, r Resolver) string {
	_, addrs, err := addresses(ctx, address, r)
	if err != nil {
		return ""
	}
	reason := ""
	for _, addr := range addrs {
		if reason = p.Check(addr); reason == "" {
			return ""
		}
	}
	return reason
}
