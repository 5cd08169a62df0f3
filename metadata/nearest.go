package metadata

import "slices"

// nearest returns the candidate that is spelled most like name.
func nearest(name string, candidates []string) string {
	best, bestDistance := "", 0
	for _, c := range slices.Sorted(slices.Values(candidates)) { // the same answer every time
		if d := distance(fold(name), fold(c)); best == "" || d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// nearestKey returns the key that was probably meant, or nothing when the
// name is like no key's.
func nearestKey(name string) string {
	f := fold(name)
	if len(f) < 3 {
		return ""
	}
	var best string
	bestDistance := 1 + len(f)/4
	for folded, code := range keyNames {
		d := distance(f, folded)
		if d < bestDistance || d == bestDistance && (best == "" || code < best) {
			best, bestDistance = code, d
		}
	}
	return best
}

// distance counts the letters to insert, delete, replace or swap with their
// neighbour to get from a to b.
func distance(a, b string) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last = last, row
		row = make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
