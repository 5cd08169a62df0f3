package stage_test

import (
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/stage"
)

func TestVariableNames(t *testing.T) {
	t.Parallel()
	const html = `<input aria-label="Code">`
	value := func(s *stage.Stage) string { return eval[string](t, s, "document.querySelector('input').value") }
	s := page(t, html, script(t, do(stage.Fill, `textbox "Code"`, "%2fa%"), do(stage.Fill, `textbox "Code"`, "save 5%10%")), nil)
	ctx := testContext(t)
	if _, err := s.Act(ctx, "fill in the code", &stage.ActOptions{Variables: map[string]string{"2fa": "123456"}}); err != nil || value(s) != "123456" {
		t.Errorf("filled %q, %v", value(s), err)
	}
	if _, err := s.Act(ctx, "fill in the text", nil); err != nil || value(s) != "save 5%10%" {
		t.Errorf("filled %q, %v", value(s), err)
	}
	for _, name := range []string{"", "two words", "a%b", "naïve", "-x"} {
		_, err := s.Act(ctx, "go", &stage.ActOptions{Variables: map[string]string{name: "x"}})
		if !errors.Is(err, stage.ErrVariable) {
			t.Errorf("act with %q: %v", name, err)
		}
		if _, err := s.Observe(ctx, "go", &stage.ObserveOptions{Variables: map[string]string{name: "x"}}); !errors.Is(err, stage.ErrVariable) {
			t.Errorf("observe with %q: %v", name, err)
		}
	}
}

// A page shows what was typed into it in many spellings; none reaches the model.
func TestSecretsAreMaskedEncoded(t *testing.T) {
	t.Parallel()
	const secret = `p"ss wörd/7+x&y`
	html := `<p>` + url.QueryEscape(secret) + `</p><p>` + strings.ToLower(url.PathEscape(secret)) + `</p><p>` +
		base64.StdEncoding.EncodeToString([]byte("ada:"+secret+"!")) + `</p><p>` + base64.RawURLEncoding.EncodeToString([]byte(secret)) + `</p>
<p>p"ss wörd/7+x&amp;y</p><p>p"ss w&ouml;rd/7+x&amp;amp;y</p>`
	s := page(t, html, script(t, func(tree string) any {
		for _, spelt := range []string{"ss w", "ss+w", "ss%20w", "%c3%b6", base64.RawStdEncoding.EncodeToString([]byte(secret))[4:12], "cHMgd8O2cm", "7+x"} {
			if strings.Contains(tree, spelt) {
				t.Errorf("%s was sent:\n%s", spelt, tree)
			}
		}
		return `{"data": ["%pass%", "%pass:url%"]}`
	}), nil)
	got, err := stage.Extract[[]string](testContext(t), s, "all", &stage.ExtractOptions{Variables: map[string]string{"pass": secret}})
	if err != nil || got.Data[0] != secret || got.Data[1] != url.QueryEscape(secret) {
		t.Errorf("got %q, %v", got.Data, err)
	}
}

func TestVariablesAreBoundToOrigins(t *testing.T) {
	t.Parallel()
	site := serve(t, map[string]string{"/": `<input aria-label="Here"><iframe src="{{other}}/far"></iframe>`, "/far": `<input aria-label="There">`})
	vars := map[string]string{"pass": "s3cr3t", "city": "Oslo"}
	s := open(t, site.URL+"/", script(t, do(stage.Fill, `textbox "Here"`, "%pass%"),
		do(stage.Fill, `textbox "There"`, "%pass%"), do(stage.Fill, `textbox "There"`, "%city%")),
		&stage.Options{Origins: map[string][]string{"pass": {site.URL, "https://*.example.com"}}, NoHeal: true})
	ctx := testContext(t)
	if _, err := s.Act(ctx, "log in", &stage.ActOptions{Variables: vars}); err != nil {
		t.Errorf("its own site: %v", err)
	}
	_, err := s.Act(ctx, "log in there", &stage.ActOptions{Variables: vars})
	var a *stage.ActError
	if !errors.Is(err, stage.ErrOrigin) || !errors.As(err, &a) || a.Sent || strings.Contains(err.Error(), "s3cr3t") {
		t.Errorf("another site: %v", err)
	}
	if _, err := s.Act(ctx, "name the city", &stage.ActOptions{Variables: vars}); err != nil {
		t.Errorf("a variable for all sites: %v", err)
	}
}
