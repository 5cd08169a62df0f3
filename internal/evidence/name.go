package evidence

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"strings"
)

// Limits of names. They fit every file system and every bucket.
const (
	maxSegment  = 120
	maxSegments = 4
)

// CheckRun accepts the id of a run: one plain segment.
func CheckRun(run string) error {
	if !plain(run) {
		return fmt.Errorf("run %q: %w", clip(run), ErrName)
	}
	return nil
}

// CheckName accepts one to four plain segments with slashes between them. A
// segment is made of letters, digits, dot, dash and underscore and does not
// begin with a dot, so that no name can leave its run or meet a store's own
// files.
func CheckName(name string) error {
	segments := strings.Split(name, "/")
	if len(segments) > maxSegments {
		return fmt.Errorf("name %q: %w", clip(name), ErrName)
	}
	for _, s := range segments {
		if !plain(s) {
			return fmt.Errorf("name %q: %w", clip(name), ErrName)
		}
	}
	return nil
}

func check(run, name string) error {
	if err := CheckRun(run); err != nil {
		return err
	}
	return CheckName(name)
}

func plain(segment string) bool {
	if segment == "" || len(segment) > maxSegment || segment[0] == '.' {
		return false
	}
	for i := range len(segment) {
		if !plainByte(segment[i]) {
			return false
		}
	}
	return true
}

func plainByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '-' || c == '_'
}

// segmentOf makes a plain segment of the last part of any text. Texts that had
// to be changed get a part of their hash, so that they stay apart.
func segmentOf(text string) string {
	base := path.Base(strings.ReplaceAll(text, `\`, "/"))
	if plain(base) {
		return base
	}
	sum := sha256.Sum256([]byte(text))
	var b strings.Builder
	for i := range len(base) {
		if plainByte(base[i]) {
			b.WriteByte(base[i])
		} else {
			b.WriteByte('-')
		}
	}
	clean := strings.TrimLeft(b.String(), ".")
	ext := path.Ext(clean)
	if len(ext) > 10 {
		ext = ""
	}
	clean = strings.TrimSuffix(clean, ext)
	return clean[:min(len(clean), maxSegment-30)] + "-" + hex.EncodeToString(sum[:4]) + ext
}

func randomName() string {
	b := make([]byte, 12)
	_, _ = rand.Read(b) // crypto/rand never fails
	return hex.EncodeToString(b)
}

func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}
