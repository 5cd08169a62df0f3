package google

import (
	"encoding/base64"

	"google.golang.org/genai"
)

// skipValidator is what the vendor documents to stand for the signature of a
// call that its model did not make: one of another vendor's model, after a
// failover. Without any, Gemini 3 refuses the whole request. See
// https://ai.google.dev/gemini-api/docs/thought-signatures
const skipValidator = "skip_thought_signature_validator"

// sign puts the documented mark on the first call of each turn that has no
// signature; the vendor wants none on the calls beside it. It reports whether
// there was any.
func sign(contents []*genai.Content) bool {
	marked := false
	for _, content := range contents {
		if content.Role != string(genai.RoleModel) {
			continue
		}
		for _, part := range content.Parts {
			if part.FunctionCall == nil {
				continue
			}
			if len(part.ThoughtSignature) == 0 {
				part.ThoughtSignature = []byte(skipValidator)
				marked = true
			}
			break
		}
	}
	return marked
}

// unsealed puts the mark into a request as it is: signatures are bytes, which
// the SDK encodes, and the vendor looks for the plain word.
func unsealed(body map[string]any) map[string]any {
	sealed := base64.StdEncoding.EncodeToString([]byte(skipValidator))
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if v["thoughtSignature"] == sealed {
				v["thoughtSignature"] = skipValidator
			}
			for _, inner := range v {
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		case []map[string]any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	walk(body["contents"])
	return body
}
