// Package batch plays many games: it reads which ones from lists, sitemaps and
// folders, hands them to a few players at a time, remembers what is done so that
// an interrupted batch goes on where it stopped, and sums the results up.
package batch
