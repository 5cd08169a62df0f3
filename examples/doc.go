// Package examples holds small programs, one for each thing that people come for.
// Each is a folder with a main.go:
//
//	go run ./examples/extract -url https://example.com/ -model anthropic/claude-haiku-5-5
//
// Its test builds them all and runs each against stand-ins.
package examples
