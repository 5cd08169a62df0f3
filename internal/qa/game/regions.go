package game

// regions calls do with the pixels of every connected piece of a picture that has
// one label throughout, w pixels wide. The slice is used again afterwards.
func regions(labels []uint16, w int, do func(pixels []int)) {
	seen := make([]bool, len(labels))
	var piece []int
	for start := range labels {
		if seen[start] {
			continue
		}
		seen[start] = true
		piece = append(piece[:0], start)
		for n := 0; n < len(piece); n++ {
			at := piece[n]
			for _, next := range [4]int{at - 1, at + 1, at - w, at + w} {
				over := next < 0 || next >= len(labels) || next == at-1 && at%w == 0 || next == at+1 && next%w == 0
				if over || seen[next] || labels[next] != labels[start] {
					continue
				}
				seen[next] = true
				piece = append(piece, next)
			}
		}
		do(piece)
	}
}
