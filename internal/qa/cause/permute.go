package cause

import "math/rand/v2"

// maxPermutations bounds the labelings that are tried; up to this many all are.
const maxPermutations = 400

// permute returns how often a labeling of a+b windows, a of them "with", gives
// a statistic at least as large as the true labeling, where the first a are
// "with". It tries all labelings, or a fixed sample of them when they are many.
func permute(a, b int, statistic func(isWith []bool) float64) float64 {
	if a == 0 || b == 0 {
		return 1
	}
	n := a + b
	labels := make([]bool, n)
	for i := range a {
		labels[i] = true
	}
	observed := statistic(labels)
	if observed <= 0 {
		return 1
	}
	const slack = 1e-9
	if binomial(n, a) <= maxPermutations {
		total, atLeast := 0, 0
		combinations(n, a, func(chosen []int) {
			clearLabels(labels)
			for _, i := range chosen {
				labels[i] = true
			}
			total++
			if statistic(labels) >= observed-slack {
				atLeast++
			}
		})
		return float64(atLeast) / float64(total)
	}
	// The same windows must give the same answer, so the generator is fixed.
	rng := rand.New(rand.NewPCG(1, uint64(n)<<8|uint64(a)))
	atLeast := 1
	for range maxPermutations {
		rng.Shuffle(n, func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
		if statistic(labels) >= observed-slack {
			atLeast++
		}
	}
	return float64(atLeast) / float64(maxPermutations+1)
}

func clearLabels(labels []bool) {
	for i := range labels {
		labels[i] = false
	}
}

func binomial(n, k int) int {
	r := 1
	for i := 1; i <= k; i++ {
		r = r * (n - k + i) / i
		if r > 1<<30 {
			return r
		}
	}
	return r
}

// combinations calls f with every choice of k numbers below n.
func combinations(n, k int, f func(chosen []int)) {
	chosen := make([]int, k)
	var walk func(at, from int)
	walk = func(at, from int) {
		if at == k {
			f(chosen)
			return
		}
		for i := from; i <= n-(k-at); i++ {
			chosen[at] = i
			walk(at+1, i+1)
		}
	}
	walk(0, 0)
}
