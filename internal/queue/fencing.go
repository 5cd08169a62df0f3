//go:build !chaosmutant_fencing

package queue

// fencing is taken out by make chaos-selftest, to see that chaos notices.
const fencing = true
