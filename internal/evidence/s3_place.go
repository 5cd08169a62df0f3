package evidence

import (
	"fmt"
	"net/url"
	"strings"
)

// amazon is where buckets are that name no other place.
const amazon = "s3.amazonaws.com"

// bucketPlace is what an s3:// address says.
type bucketPlace struct {
	bucket, prefix string
	host           string // of the endpoint
	secure         bool
	region         string
	pathStyle      bool
}

// parseBucket reads an s3:// address. Keys do not belong there: addresses end
// up in process lists and logs.
func parseBucket(location string) (bucketPlace, error) {
	u, err := url.Parse(location)
	if err != nil {
		return bucketPlace{}, fmt.Errorf("the bucket's address cannot be read: s3://bucket/prefix?endpoint=https://host is one")
	}
	if u.User != nil {
		return bucketPlace{}, fmt.Errorf("keys do not belong into the bucket's address: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	p := bucketPlace{bucket: u.Host, prefix: strings.Trim(u.Path, "/"), region: "us-east-1", host: amazon, secure: true}
	if p.bucket == "" {
		return p, fmt.Errorf("the bucket's address has no bucket: s3://bucket/prefix has one")
	}
	for _, segment := range strings.Split(p.prefix, "/") {
		if p.prefix != "" && !plain(segment) {
			return p, fmt.Errorf("the bucket's prefix %q: %w", clip(p.prefix), ErrName)
		}
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return p, fmt.Errorf("the bucket's address has options that cannot be read: %w", err)
	}
	for option, values := range query {
		value := values[len(values)-1]
		switch option {
		case "endpoint":
			if err := p.endpoint(value); err != nil {
				return p, err
			}
		case "region":
			p.region = value
		case "path-style":
			p.pathStyle = value != "false"
		default:
			return p, fmt.Errorf("the bucket's address has an unknown option %q: endpoint, region and path-style are known", option)
		}
	}
	return p, nil
}

func (p *bucketPlace) endpoint(value string) error {
	e, err := url.Parse(value)
	if err != nil || e.Host == "" || e.Scheme != "http" && e.Scheme != "https" || strings.Trim(e.Path, "/") != "" || e.User != nil || e.RawQuery != "" {
		return fmt.Errorf("the bucket's endpoint %q is not an address like https://host:9000", clip(value))
	}
	p.host, p.secure = e.Host, e.Scheme == "https"
	return nil
}
