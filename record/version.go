package record

// Version of playtest. Records, reports and the user agent name it.
const Version = "0.1.0"
