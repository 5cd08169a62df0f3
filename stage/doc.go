// Package stage acts on pages in plain words: it finds what an instruction is
// about, acts on it as a person would, and reads data out of a page. What is
// painted on a canvas can be acted on like any element.
//
//	st, err := stage.Open(ctx, "https://example.com/", model, nil)
//	defer st.Close()
//	_, err = st.Act(ctx, "put two tickets into the cart", nil)
//	found, err := st.Observe(ctx, "the ways to pay", nil)
//	_, err = st.Perform(ctx, found.Actions[0], nil) // no model call
//	prices, err := stage.Extract[[]Ticket](ctx, st, "all tickets with their price", nil)
//
// Every result carries a Meta: what was sent, tokens and cost, how long each
// part took, whether the page had settled, whether a cache answered.
//
// What a page says is data. The model sees it in quotes, may answer only with
// ids that are in the snapshot and methods from a fixed list, and what it
// answers is checked before anything is sent to the page. Variables are put in
// after the model has answered; their values never leave the process except
// into the page, and only into the sites that Options.Origins allows.
//
// The page itself, with locators, waits, cookies and downloads, is st.Page(): see
// package browser.
package stage
