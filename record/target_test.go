package record_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/record"
)

func TestTargetsAreBounded(t *testing.T) {
	good := record.Target{URL: "https://game.example/"}
	tests := []struct {
		name   string
		change func(*record.Target)
		ok     bool
	}{
		{"plain", func(*record.Target) {}, true},
		{"two hours", func(t *record.Target) { t.MaxDuration = 2 * time.Hour }, true},
		{"longer", func(t *record.Target) { t.MaxDuration = 3 * time.Hour }, false},
		{"long address", func(t *record.Target) { t.URL += strings.Repeat("x", 9000) }, false},
		{"password", func(t *record.Target) { t.URL = "https://alice:s3cr3t@game.example/" }, false},
		{"metadata", func(t *record.Target) { t.Metadata = &metadata.Metadata{Title: "Ridge"} }, true},
		{"wait of a day", func(t *record.Target) {
			t.Metadata = &metadata.Metadata{TestingStrategy: &metadata.TestingStrategy{WaitBeforeInteraction: 86_400_000}}
		}, false},
		{"negative wait", func(t *record.Target) {
			t.Metadata = &metadata.Metadata{TestingStrategy: &metadata.TestingStrategy{InteractionDuration: -1}}
		}, false},
		{"huge metadata", func(t *record.Target) { t.Metadata = &metadata.Metadata{Description: strings.Repeat("x", 20<<10)} }, false},
	}
	for _, tt := range tests {
		target := good
		tt.change(&target)
		err := target.Validate()
		if (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
		if err != nil && strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s: the error repeats the password: %v", tt.name, err)
		}
	}
	for _, bad := range []string{"http://alice:s3cr3t@bad host/", "http://alice:s3cr3t@%zz/"} {
		if err := record.ValidateURL(bad); err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%v", err)
		}
	}
	if !errors.Is(record.ValidateURL("http://bob@game.example/"), record.ErrUserInfo) {
		t.Error("a user name passes")
	}
}
