//go:build chaosmutant_fencing

package queue

const fencing = false
