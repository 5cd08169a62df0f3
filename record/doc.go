// Package record holds the words that every part of playtest speaks.
//
// A [Target] says which game to play and how. A run passes four phases and
// leaves a [Record]: plain data about what was measured. Evaluation turns the
// record into a [Report]: three checks, five metrics, issues and a verdict. On
// the way a run sends [Event] values to whoever watches.
//
// The package holds data and no rules, and imports nothing of the module but
// the parser of metadata, so anything may import it.
package record
