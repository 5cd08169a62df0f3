//go:build !chaosmutant_fencing

package store

// heldSQL is the fence: what every write about a running run depends on. $1 is
// the run, $2 the number of the lease. make chaos-selftest takes it out, to see
// that chaos notices.
const heldSQL = "id = $1 AND lease = $2 AND status = 'running'"
