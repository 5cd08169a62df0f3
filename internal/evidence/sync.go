//go:build !chaosmutant_fsync

package evidence

// syncing makes files outlive a loss of power. make chaos-selftest takes it out,
// to see that chaos notices.
const syncing = true
