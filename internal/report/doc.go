// Package report turns the result of a run into something to read: a page that
// opens from disk, a summary in Markdown, JUnit for a build server, and the JSON
// Schema that report.json follows.
package report
