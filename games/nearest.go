package games

import "fmt"

// UnknownError says that no bundled game has the name, and which one comes nearest.
type UnknownError struct {
	Name    string
	Nearest string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("no bundled game is called %q, did you mean %q", e.Name, e.Nearest)
}

// Find is Get with an *UnknownError that carries a suggestion.
func Find(name string) (Game, error) {
	if g, ok := Get(name); ok {
		return g, nil
	}
	var names []string
	for _, g := range load() {
		names = append(names, g.Name)
	}
	return Game{}, &UnknownError{Name: name, Nearest: nearest(name, names)}
}

// nearest returns the known word that takes the fewest single-letter edits to reach.
func nearest(word string, known []string) string {
	best, least := "", -1
	for _, k := range known {
		if d := edits(word, k); least < 0 || d < least {
			best, least = k, d
		}
	}
	return best
}

func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
