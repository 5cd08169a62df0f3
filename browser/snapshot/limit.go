package snapshot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// endCost is kept free for the line that says what was left out.
const endCost = 60

// split distributes the lines over parts of at most limit tokens, the most
// important ones first. A part holds indexes in the order of the page.
func split(lines []line, limit int, limited bool) [][]int {
	order := make([]int, len(lines))
	total := 0
	for i := range lines {
		order[i] = i
		total += lines[i].cost
	}
	if !limited || total <= limit+endCost {
		return [][]int{order}
	}
	limit = max(limit, 50)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lines[a].rank, lines[b].rank) })
	var parts [][]int
	var part []int
	used := 0
	around := make(map[int]bool) // structure that the part will show
	for _, i := range order {
		cost := lines[i].cost
		for p := lines[i].parent; p >= 0 && !around[p]; p = lines[p].parent {
			cost += lines[p].cost
		}
		if used+cost > limit && len(part) > 0 {
			parts = append(parts, part)
			part, used = nil, 0
			around = make(map[int]bool)
			cost = lines[i].cost
			for p := lines[i].parent; p >= 0; p = lines[p].parent {
				cost += lines[p].cost
			}
		}
		for p := lines[i].parent; p >= 0; p = lines[p].parent {
			around[p] = true
		}
		around[i] = true
		part = append(part, i)
		used += cost
	}
	parts = append(parts, part)
	for _, p := range parts {
		slices.Sort(p)
	}
	return parts
}

// continued marks a line that another part shows too.
const continued = " (continued)\n"

// show writes the chosen lines in the order of the page, each below the
// structure that it is in. Whoever reads part after part has seen that structure
// already; where it has words of its own they are marked, to be counted once.
func show(b *strings.Builder, lines []line, chosen []int, inOrder bool) {
	var shown map[int]bool
	if len(chosen) != len(lines) {
		shown = make(map[int]bool, len(chosen))
	}
	for _, i := range chosen {
		if shown != nil {
			var above []int
			for p := lines[i].parent; p >= 0 && !shown[p]; p = lines[p].parent {
				above = append(above, p)
			}
			for _, p := range slices.Backward(above) {
				shown[p] = true
				text := lines[p].text
				if inOrder && !lines[p].bare {
					text = strings.TrimSuffix(text, "\n") + continued
				}
				b.WriteString(text)
			}
			if shown[i] {
				continue
			}
			shown[i] = true
		}
		b.WriteString(lines[i].text)
	}
}

// more is the line about what is not shown.
func more(lines []line, parts [][]int, part int) string {
	counts := make(map[string]int)
	left := 0
	for i, p := range parts {
		if i == part-1 {
			continue
		}
		for _, l := range p {
			left++
			counts[lines[l].node.Role]++
		}
	}
	return fmt.Sprintf("... %d more not shown (%s); this is part %d of %d, ask for another part\n", left, roles(counts), part, len(parts))
}

// beyond is the line about controls that lie outside of the window, for the form
// that shows only what is in it.
func (s *Snapshot) beyond(root *Node) string {
	if s.view {
		if s.Beyond == 0 || root != s.Root {
			return ""
		}
		return fmt.Sprintf("... about %d more controls outside of the window; scroll, or ask for the full form\n", s.Beyond)
	}
	counts := make(map[string]int)
	left := 0
	root.Walk(func(n *Node) bool {
		if n.Interactive && !n.InView {
			left++
			counts[n.Role]++
		}
		return true
	})
	if left == 0 {
		return ""
	}
	return fmt.Sprintf("... %d more outside of the window (%s); scroll, or ask for the full form\n", left, roles(counts))
}

// roles tells what there is how often, the most frequent first.
func roles(counts map[string]int) string {
	names := make([]string, 0, len(counts))
	for r := range counts {
		names = append(names, r)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var told []string
	for i, r := range names {
		if i == 5 {
			told = append(told, "and others")
			break
		}
		told = append(told, fmt.Sprintf("%d %s", counts[r], r))
	}
	return strings.Join(told, ", ")
}
