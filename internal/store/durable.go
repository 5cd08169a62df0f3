//go:build !chaosmutant_synchronous

package store

// synchronous makes a commit of SQLite last before it returns. Postgres does so
// unless its owner said otherwise. make chaos-selftest takes it out, to see that
// chaos notices.
const synchronous = "synchronous(FULL)"

// serverParameters are asked of Postgres with every connection.
var serverParameters = map[string]string{}
