package egress_test

import (
	"context"
	"net"
	"net/netip"
	"testing"

	"github.com/playtest-dev/playtest/internal/egress"
)

// names resolves what it knows and nothing else.
type names map[string][]string

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	var out []netip.Addr
	for _, text := range n[host] {
		out = append(out, netip.MustParseAddr(text))
	}
	if len(out) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return out, nil
}

func TestPolicy(t *testing.T) {
	public := []string{"8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::1"}
	local := []string{
		"0.0.0.0", "0.1.2.3", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.255", "169.254.1.1",
		"169.254.169.254", "100.100.100.200", "168.63.129.16", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.0.0.1", "198.18.0.1",
		"224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1",
		"2002:7f00:1::", "2001::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "fe80::1%eth0",
	}
	none := &egress.Policy{}
	for _, text := range public {
		if got := none.Check(netip.AddrPortFrom(netip.MustParseAddr(text), 80)); got != "" {
			t.Errorf("%s refused: %s", text, got)
		}
	}
	for _, text := range local {
		if got := none.Check(netip.AddrPortFrom(netip.MustParseAddr(text), 80)); got == "" {
			t.Errorf("%s allowed", text)
		}
	}
}

func TestPolicyForTarget(t *testing.T) {
	ctx, dns := t.Context(), names{
		"intra": {"10.0.0.7"}, "shop.example": {"93.184.216.34"}, "both.example": {"93.184.216.34", "127.0.0.1"}, "keys.example": {"169.254.169.254", "10.0.0.7"},
	}
	tests := []struct {
		typed, asked string
		want         bool
	}{
		{"http://127.0.0.1:8080/", "127.0.0.1:8080", true},
		{"http://127.0.0.1:8080/", "127.0.0.1:8081", false},
		{"http://127.0.0.1:8080/", "127.0.0.2:8080", false},
		{"http://127.0.0.1:8080/", "[::ffff:127.0.0.1]:8080", false},
		{"http://localhost:8080/", "127.0.0.1:8080", true},
		{"http://localhost:8080/", "[::1]:8080", true},
		{"http://game.localhost:8080/", "127.0.0.1:8080", true},
		{"http://intra/", "10.0.0.7:80", true},
		{"http://intra/", "10.0.0.7:443", true}, // where it sends its visitors
		{"http://intra/", "10.0.0.7:22", false},
		{"https://shop.example/", "127.0.0.1:443", false},
		{"https://shop.example/", "8.8.8.8:443", true},
		{"http://nowhere.example/", "127.0.0.1:80", false},
		{"http://both.example/", "127.0.0.1:80", true},
		{"http://169.254.169.254/", "169.254.169.254:80", false},
		{"http://keys.example/", "169.254.169.254:80", false},
		{"http://keys.example/", "10.0.0.7:80", true},
	}
	for _, tt := range tests {
		p, err := egress.ForTarget(ctx, tt.typed, dns)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Check(netip.MustParseAddrPort(tt.asked)) == ""; got != tt.want {
			t.Errorf("typed %s, asked for %s: allowed is %v", tt.typed, tt.asked, got)
		}
	}
}

// A worker's database and bucket are out of reach even where local addresses
// are allowed, and even when they are public.
func TestPolicyKeepsItsOwnToItself(t *testing.T) {
	p := &egress.Policy{Local: true}
	p.Own(t.Context(), names{"db.example": {"93.184.216.34"}}, "postgres://user:pass@db.example/runs", "http://127.0.0.1:9000", "127.0.0.1:4222", "%%%")
	for address, want := range map[string]bool{
		"93.184.216.34:5432": false, "93.184.216.34:443": true, "127.0.0.1:9000": false, "127.0.0.1:4222": false,
		"[::ffff:127.0.0.1]:9000": false, "127.0.0.1:8080": true,
		// Other names of the same place.
		"0.0.0.0:9000": false, "[::]:9000": false, "127.0.0.2:9000": false, "[::1]:4222": false, "0.0.0.0:8080": true,
	} {
		if got := p.Check(netip.MustParseAddrPort(address)) == ""; got != want {
			t.Errorf("%s: allowed is %v", address, got)
		}
	}
}
