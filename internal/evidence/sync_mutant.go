//go:build chaosmutant_fsync

package evidence

const syncing = false
