// Package agent carries out tasks on web pages and in games: a model is given
// tools, decides which to call, is told what came of it, and goes on until it
// closes its work or a limit is reached.
//
//	a, err := agent.New(ctx, page, model, nil)
//	result, err := a.Run(ctx, "put the cheapest ticket into the cart")
//
// What the agent claims and what was measured are two things: Result.Claim is
// the model's word, Result.Verified what the page showed. Reaching a limit is a
// result, not an error; an error is what kept the agent from working, and even
// then the result has everything that was done before.
//
// The agent stays on the origins it was given (the start page's, unless told
// otherwise); package bounds has the browser see to that. It has no tools but
// those it began with. What a page or a server says is shown to the model as
// data, and no tool reads files or takes orders from it.
//
// The conversation is kept small: the last two observations are whole, older
// ones a line, and turns long past a line each, so that the fortieth step costs
// what the fifth did. A Conversation can be saved and continued, and the
// Actions of a result replayed without a model.
package agent
