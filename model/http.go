package model

import "net/http"

// HTTPClient is the client that an adapter should use: the given one, or one
// of its own, that follows no redirect. Go takes only the Authorization header
// off a redirected request; vendors' own key headers would go along.
func HTTPClient(given *http.Client) *http.Client {
	client := &http.Client{}
	if given != nil {
		*client = *given
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client
}
