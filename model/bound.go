package model

import "time"

// smallAnswer is the largest bound of what counts as a small question: one
// that needs an answer and not much thought.
const smallAnswer = 2048

// thinkingRoom is what is added to the bound on an answer for models that
// think within it. Without it a model may spend all of the bound on thinking
// and leave no answer.
var thinkingRoom = map[Effort]int{
	NoEffort: 0, MinimalEffort: 1024, LowEffort: 4096, MediumEffort: 12_288, HighEffort: 24_576, XHighEffort: 49_152, MaxEffort: 65_536,
}

// unknownRoom is for models that think as much as they like.
const unknownRoom = 16_384

// leastRoom is kept for thinking by models whose effort cannot be told, even
// for small questions.
const leastRoom = 8192

// bounded is the request with an effort and a bound that leave room for the
// answer on a model of these capabilities.
func bounded(req *Request, caps Capabilities) *Request {
	out := *req
	if out.Effort == "" && caps.Thinks && req.Limit() <= smallAnswer {
		out.Effort = nearest(caps.Efforts, LowEffort)
	}
	if caps.Thinks {
		out.MaxTokens = req.Limit() + room(out.Effort, req.Limit(), caps)
	}
	if caps.Output > 0 && out.Limit() > caps.Output {
		out.MaxTokens = caps.Output
	}
	return &out
}

func room(effort Effort, limit int, caps Capabilities) int {
	if len(caps.Efforts) > 0 && effort != "" {
		return thinkingRoom[nearest(caps.Efforts, effort)]
	}
	if limit <= smallAnswer {
		return leastRoom
	}
	return unknownRoom
}

// larger is how much more room an answer is given that was cut off.
const larger = 4

// wider is the request with a larger bound, or nil when a model of these
// capabilities could not use one.
func wider(req *Request, caps Capabilities) *Request {
	was := bounded(req, caps).Limit()
	out := *req
	out.MaxTokens = larger * req.Limit()
	if bounded(&out, caps).Limit() <= was {
		return nil
	}
	return &out
}

// writingSpeed is a slow model's, in tokens per second.
const writingSpeed = 40

// writingTime is how much longer than usual an answer may take whose bound is
// beyond the usual one.
func writingTime(bound int) time.Duration {
	return time.Duration(max(bound-DefaultMaxTokens, 0)) * time.Second / writingSpeed
}
