//go:build chaosmutant_synchronous

package store

const synchronous = "synchronous(OFF)"

var serverParameters = map[string]string{"synchronous_commit": "off"}
