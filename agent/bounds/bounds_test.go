package bounds_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/agent/bounds"
)

func TestAllows(t *testing.T) {
	tests := []struct {
		name    string
		start   string
		more    []string
		address string
		want    bool
	}{
		{"the start page", "https://game.test/play", nil, "https://game.test/play", true},
		{"another page of the origin", "https://game.test/play", nil, "https://game.test/menu?x=1#top", true},
		{"the usual port named", "https://game.test/", nil, "https://game.test:443/", true},
		{"capital letters and a dot", "https://game.test/", nil, "HTTPS://GAME.TEST./", true},
		{"another port", "http://localhost:8080/", nil, "http://localhost:8081/", false},
		{"another scheme", "https://game.test/", nil, "http://game.test/", false},
		{"another host", "https://game.test/", nil, "https://evil.test/", false},
		{"a host that begins alike", "https://game.test/", nil, "https://game.test.evil.test/", false},
		{"a host that ends alike", "https://game.test/", nil, "https://evilgame.test/", false},
		{"a subdomain", "https://game.test/", nil, "https://sub.game.test/", false},
		{"the host as a user's name", "https://game.test/", nil, "https://game.test@evil.test/", false},
		{"a file", "https://game.test/", nil, "file:///etc/passwd", false},
		{"a script", "https://game.test/", nil, "javascript:alert(1)", false},
		{"data", "https://game.test/", nil, "data:text/html,hello", false},
		{"settings", "https://game.test/", nil, "chrome://settings", false},
		{"a blob of the origin", "https://game.test/", nil, "blob:https://game.test/x", false},
		{"no address", "https://game.test/", nil, "", false},
		{"rubbish", "https://game.test/", nil, "https://%zz", false},
		{"one more origin", "https://game.test/", []string{"https://shop.test"}, "https://shop.test/cart", true},
		{"a wildcard", "https://game.test/", []string{"https://*.cdn.test"}, "https://a.b.cdn.test/", true},
		{"the wildcard's own host", "https://game.test/", []string{"https://*.cdn.test"}, "https://cdn.test/", true},
		{"beside a wildcard", "https://game.test/", []string{"https://*.cdn.test"}, "https://evilcdn.test/", false},
		{"everything", "https://game.test/", []string{"*"}, "http://anywhere.test/", true},
		{"everything but files", "https://game.test/", []string{"*"}, "file:///etc/passwd", false},
		{"nothing beside a start without origin", "about:blank", nil, "https://game.test/", false},
		{"an address with numbers", "http://[::1]:99/", nil, "http://[::1]:99/x", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := bounds.New(tt.start, tt.more...)
			if err != nil {
				t.Fatal(err)
			}
			err = b.Allows(tt.address)
			if (err == nil) != tt.want {
				t.Errorf("Allows(%q) = %v", tt.address, err)
			}
			var outside *bounds.Error
			if err != nil && !errors.As(err, &outside) {
				t.Errorf("%T is not a *bounds.Error", err)
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	for _, more := range []string{"example.com", "file:///", "https://", "https://a.*.test", "ftp://x.test", "javascript:1"} {
		if _, err := bounds.New("https://game.test/", more); err == nil || !strings.Contains(err.Error(), more) {
			t.Errorf("New accepts %q: %v", more, err)
		}
	}
}

func TestRefusalsAreBounded(t *testing.T) {
	b, err := bounds.New("https://game.test/")
	if err != nil {
		t.Fatal(err)
	}
	for range 250 {
		b.Refuse("https://evil.test/" + strings.Repeat("x", 10_000))
	}
	list, more := b.Refused()
	if len(list) != 100 || more != 150 || len(list[0].URL) > 300 {
		t.Errorf("kept %d, %d more, %d characters", len(list), more, len(list[0].URL))
	}
}
