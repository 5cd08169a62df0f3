package twin

import _ "embed"

// focusJS gives the keyboard to the game, whereJS finds an element again.
var (
	//go:embed focus.js
	focusJS string
	//go:embed where.js
	whereJS string
)
