package opinion_test

import (
	"testing"

	"github.com/playtest-dev/playtest/internal/qa/opinion"
	"github.com/playtest-dev/playtest/metadata"
	"github.com/playtest-dev/playtest/model"
	"github.com/playtest-dev/playtest/model/anthropic"
	"github.com/playtest-dev/playtest/model/google"
	"github.com/playtest-dev/playtest/model/modeltest"
	"github.com/playtest-dev/playtest/model/openai"
)

// Every vendor accepts what is sent, through its own SDK: prompts, pictures and
// the schemas of both calls.
func TestVendorsAcceptTheQuestions(t *testing.T) {
	for _, tt := range []struct {
		name string
		open func(t *testing.T) (*modeltest.Server, model.Model, error)
	}{
		{"anthropic", func(t *testing.T) (*modeltest.Server, model.Model, error) {
			s := modeltest.NewAnthropic(t)
			m, err := anthropic.New("claude-haiku-5-5", s.Key, &anthropic.Options{BaseURL: s.URL})
			return s, m, err
		}},
		{"openai", func(t *testing.T) (*modeltest.Server, model.Model, error) {
			s := modeltest.NewOpenAI(t)
			m, err := openai.New("gpt-6-luna", s.Key, &openai.Options{BaseURL: s.URL})
			return s, m, err
		}},
		{"google", func(t *testing.T) (*modeltest.Server, model.Model, error) {
			s := modeltest.NewGoogle(t)
			m, err := google.New("gemini-3.1-flash-lite", s.Key, &google.Options{BaseURL: s.URL})
			return s, m, err
		}},
		{"chat", func(t *testing.T) (*modeltest.Server, model.Model, error) {
			s := modeltest.NewChat(t)
			m, err := openai.NewChat("local", "small", s.URL, &openai.ChatOptions{Key: s.Key})
			return s, m, err
		}},
	} {
		for _, evaluator := range []string{opinion.Data, opinion.Vision} {
			t.Run(tt.name+"/"+evaluator, func(t *testing.T) {
				server, m, err := tt.open(t)
				if err != nil {
					t.Fatal(err)
				}
				reply := said{Reasoning: "It loaded.", GameLoaded: yes, ControlsResponsive: yes, GameStable: yes}
				if evaluator == opinion.Vision {
					reply.Metrics = marks(90, nil)
				}
				server.Script(modeltest.Reply{Text: reply.String(), Usage: model.Usage{Input: 900, Output: 90}},
					modeltest.Reply{Text: `{"answers": [{"number": 1, "evaluation": "YES", "reasoning": "It is."}]}`, Usage: model.Usage{Input: 900, Output: 90}})
				rec := healthy()
				rec.Target.Rubric = &metadata.Rubric{Questions: []metadata.Question{{Ask: "Is it a game?"}}}
				rep, err := opinion.Refine(t.Context(), rec, measured(), m, &opinion.Options{Evaluator: evaluator, Pictures: album(t)})
				if err != nil {
					t.Fatal(err)
				}
				if rep.Opinion == nil || rep.Evaluator != evaluator || rep.Opinion.Model != m.Name() || rep.Opinion.Tokens == 0 {
					t.Fatalf("%+v %+v", rep.Opinion, rep.Issues)
				}
				if a := rep.Opinion.Answers; len(a) != 1 || !a[0].Met {
					t.Errorf("answers %+v", a)
				}
			})
		}
	}
}
