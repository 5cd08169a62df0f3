package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/playtest-dev/playtest/model/modeltest"
)

func TestDoctorTriesModels(t *testing.T) {
	answers, refuses := modeltest.NewAnthropic(t), modeltest.NewChat(t)
	answers.Script(modeltest.Reply{Text: "ok"})
	refuses.Script(modeltest.Reply{Status: 401})
	t.Setenv("PLAYTEST_CONFIG", "")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("ANTHROPIC_API_KEY", string(answers.Key))
	t.Setenv("ANTHROPIC_BASE_URL", answers.URL)
	t.Setenv("OPENAI_API_KEY", string(refuses.Key))
	t.Setenv("OPENAI_BASE_URL", refuses.URL)
	for _, name := range []string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY"} {
		t.Setenv(name, "")
	}
	cmd := newDoctor()
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SetArgs([]string{"--models"})
	err := cmd.ExecuteContext(t.Context())
	if err == nil {
		t.Errorf("a model that refuses the key is no failure:\n%s", &out)
	}
	text := out.String()
	for _, want := range []string{"ok       anthropic/", "answered in", "images", "missing  openai/"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
	for _, key := range []string{string(answers.Key), string(refuses.Key)} {
		if strings.Contains(text, key) {
			t.Errorf("the key is in:\n%s", text)
		}
	}
}
