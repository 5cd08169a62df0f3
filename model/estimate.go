package model

// Estimate is the most tokens that reading the request can take, as near as
// can be told without each vendor's tokenizer. It errs high: a byte and a half
// of non-ASCII text or two of ASCII a token is denser than anything real
// except random characters, and budgets rest on it.
func (r *Request) Estimate(price Price) int {
	e := estimator{imageTokens: price.ImageTokens}
	e.text(r.System)
	for _, t := range r.Tools {
		e.text(t.Name)
		e.text(t.Description)
		e.bytes(t.Schema)
		e.tokens += 32
		if t.Raw != nil {
			// A vendor's own tool brings instructions that we do not see.
			e.bytes(t.Raw.Data)
			e.tokens += 2048
		}
	}
	if len(r.Tools) > 0 {
		e.tokens += 600 // vendors put a preamble before tools
	}
	if r.Schema != nil {
		// Native, as a tool or in the prompt, with the words around it.
		e.bytes(r.Schema.JSON)
		e.tokens += 256
	}
	for _, m := range r.Messages {
		e.tokens += 16
		e.parts(m.Parts)
	}
	return e.tokens
}

type estimator struct {
	tokens      int
	imageTokens int
}

func (e *estimator) text(s string) { e.bytes([]byte(s)) }

func (e *estimator) bytes(data []byte) {
	ascii := 0
	for _, b := range data {
		if b < 0x80 {
			ascii++
		}
	}
	e.tokens += (ascii+1)/2 + (len(data)-ascii)*2/3
}

func (e *estimator) parts(parts []Part) {
	for _, p := range parts {
		e.tokens += 8
		e.text(p.Text)
		e.text(p.Thinking)
		if p.Image != nil {
			e.image(p.Image)
		}
		if p.ToolCall != nil {
			e.text(p.ToolCall.Name)
			e.bytes(p.ToolCall.Arguments)
			e.text(p.ToolCall.Invalid)
			e.tokens += 32
		}
		if p.ToolResult != nil {
			e.tokens += 32
			e.parts(p.ToolResult.Parts)
		}
		if p.Raw != nil && p.Text == "" && p.ToolCall == nil {
			e.raw(p.Raw.Data)
		}
	}
}

// blobTokens bounds what a long encoded run in a raw block counts for: a
// picture, a signature or encrypted reasoning, all far longer than their count.
const blobTokens = 4000

// raw counts a vendor's block, with its encoded runs bounded.
func (e *estimator) raw(data []byte) {
	run := 0
	for i := 0; i <= len(data); i++ {
		if i < len(data) && isBase64(data[i]) {
			run++
			continue
		}
		e.tokens += min((run+2)/2, blobTokens)
		run = 0
	}
}

func isBase64(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '+' || b == '/' || b == '-' || b == '_' || b == '='
}

// image takes vendors' 32-pixel patches at the dearest multiplier that any of
// them uses, for the largest picture that would be sent.
func (e *estimator) image(img *Image) {
	if e.imageTokens > 0 {
		e.tokens += e.imageTokens
		return
	}
	w, h := img.Width, img.Height
	if w <= 0 || h <= 0 {
		w, h = 2048, 2048
	}
	w, h = ImageLimits{Long: 3072}.size(w, h)
	patches := ((w + 31) / 32) * ((h + 31) / 32)
	e.tokens += patches*5/2 + 100
}
