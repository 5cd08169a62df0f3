//go:build chaosmutant_fencing

package store

const heldSQL = "id = $1 AND (lease = $2 OR lease > 0) AND status = 'running'"
