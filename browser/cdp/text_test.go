package cdp

import (
	"testing"

	"github.com/chromedp/cdproto/cdp/jsonv2"
)

// Whatever a page writes, the repaired message decodes strictly if it was JSON
// but for its text.
func FuzzRepair(f *testing.F) {
	for _, s := range []string{"", "plain", "\xff", `\ud800`, `\udc00`, `\ud83d\ude00`, `\\ud800`, `\ud800\u0041`, `\ud8`, `\n\ud800"`, `\ud800\ud800\udc00`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := []byte(`{"v":"` + text + `"}`)
		if !jsonv2.Value(m).IsValid() {
			var v struct {
				V string `json:"v"`
			}
			if jsonv2.Unmarshal(append([]byte(nil), m...), &v, jsonv2.AllowInvalidUTF8(true)) != nil {
				return // no JSON at all
			}
		}
		var v struct {
			V string `json:"v"`
		}
		if err := jsonv2.Unmarshal(repair(m), &v); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}
