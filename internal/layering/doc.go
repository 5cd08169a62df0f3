// Package layering keeps the module's imports pointing one way. It holds tests
// only; the table in layering_test.go is the map of who may import whom.
package layering
