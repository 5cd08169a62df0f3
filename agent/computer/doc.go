// Package computer lets a model use a page as a person uses a computer: it is
// shown pictures, and answers with clicks, keys and drags at places in them.
//
//	driver, err := anthropic.New(run, nil) // playtest/agent/computer/anthropic
//	result, err := computer.New(driver, page, nil).Run(ctx, "win a game of noughts and crosses")
//
// There is one loop and a [Driver] per vendor that translates: agent/computer's
// anthropic, openai and google. Calls go through the model that the driver was
// given, so a gateway's budget, ledger and retries hold here as everywhere.
//
//	picture ──> model ──> Driver.Read ──> actions ──> page
//	   ^                                               │
//	   └────── Driver.Answer <── picture and address ──┘
//
// A place carries the [Space] that it is measured in, and [Point.In] is the
// only thing that converts. Pictures are made small enough before they are
// sent, so that no vendor shrinks them without telling.
//
// What a page shows is data. The bounds hold whatever a model was talked into,
// actions come from a fixed list, and what a vendor's own safety system wants
// confirmed is carried out only when the caller said so beforehand.
package computer
