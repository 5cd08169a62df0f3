// Package snapshot reads a page as one tree: the documents of every frame,
// shadow roots open and closed, and what is painted on canvases.
//
// The tree is made for a reader with little patience, a model or a person in
// front of a terminal. Each line is an id, a role, a name and what the state of
// the thing is; whatever stands in quotes is the page's own words, and nothing
// outside of quotes is.
//
//	reader := snapshot.New(page, nil)
//	snap, err := reader.Capture(ctx)
//	fmt.Print(snap.Format(&snapshot.FormatOptions{Form: snapshot.Interactive}))
//
// prints
//
//	page "Sign in" 1280x720
//	1 main
//	 2 heading1 "Welcome back"
//	 3 textbox "Name" = "Ada" (required)
//	 4 button "Sign in" (disabled)
//
// One protocol call per process reads everything; roles and names follow from
// the document by the rules of ARIA. The browser's own accessibility tree is
// asked only about elements that the document leaves open, because building it
// takes ten times as long as everything else together (docs/decisions/0008).
package snapshot
