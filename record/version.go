package record

// Version of playtest. Records, reports and the user agent name it. It is a
// variable only for the linker, which puts a release's tag here.
var Version = "0.1.0"
