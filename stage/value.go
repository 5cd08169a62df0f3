package stage

import "encoding/json"

// value decodes a JSON value into what a caller wants, or into nothing.
type value struct{ out any }

// UnmarshalJSON decodes into the wanted value.
func (v *value) UnmarshalJSON(data []byte) error {
	if v.out == nil {
		return nil
	}
	return json.Unmarshal(data, v.out)
}
