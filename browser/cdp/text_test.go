package cdp

import (
	"bytes"
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

// Of whatever is a message, the quick way says what the decoder says, or nothing, or what
// nobody can decode.
func FuzzAnswerIn(f *testing.F) {
	for _, s := range []string{
		`{"id":7,"result":{},"sessionId":"A1"}`, `{"id":7,"result":{"sessionId":"B2"},"sessionId":"A1"}`, `{"id":7,"result":{"a":",\"sessionId\":\"B2"}}`,
		`{"id":7,"result":{"a":"\\","sessionId":"B2"}}`, `{"id":7,"error":{"code":1,"message":"x"},"sessionId":"A1"}`, `{"id":7,"result":{}}`, `{"method":"x","sessionId":"A1"}`,
		`{"id":7,"result":[{"a":1},"sessionId"],"sessionId":"A1"}`, `{"id":7,"result":1e5,"sessionId":"A1"}`, `{"id":7,"sessionId":"A1","result":{"sessionId":"B2"}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, m []byte) {
		var want message
		id, result, ok := answerIn(m)
		if !ok || jsonv2.Unmarshal(m, &want) != nil {
			return
		}
		if id != want.ID || !bytes.Equal(bytes.TrimSpace(result), want.Result) && jsonv2.Value(result).IsValid(jsonv2.AllowInvalidUTF8(true)) {
			t.Errorf("%s: %d %s, of the decoder %d %s", m, id, result, want.ID, want.Result)
		}
	})
}
