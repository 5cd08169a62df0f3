package load

// What the tests look at.
var (
	Pause   = pause
	Explain = explain
)
