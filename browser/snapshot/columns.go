package snapshot

import (
	"encoding/json"
	"strconv"
)

// Columns of numbers are most of what a page of thousands of elements answers. Reading them
// as what they are takes a fifth of the time that a decoder for everything takes, and a
// column of lists is two pieces of memory instead of one a list. What is written in any other
// way than Chromium writes it is left to that decoder.

// numbers is a column of whole numbers.
type numbers[T int8 | int32 | int64] []T

// UnmarshalJSON reads the column.
func (c *numbers[T]) UnmarshalJSON(data []byte) error {
	s := scanner{data: data}
	out := make([]T, 0, len(data)/4)
	for s.begin(); s.more(); {
		n := s.whole()
		if int64(T(n)) != n {
			s.odd = true
		}
		out = append(out, T(n))
	}
	if s.odd {
		return json.Unmarshal(data, (*[]T)(c))
	}
	*c = out
	return nil
}

// lists is a column of lists of whole numbers.
type lists [][]int32

// UnmarshalJSON reads the column.
func (c *lists) UnmarshalJSON(data []byte) error {
	return unmarshalLists(data, (*[][]int32)(c), func(s *scanner) int32 {
		n := s.whole()
		if int64(int32(n)) != n {
			s.odd = true
		}
		return int32(n)
	})
}

// rects is a column of lists of numbers: where things lie.
type rects [][]float64

// UnmarshalJSON reads the column.
func (c *rects) UnmarshalJSON(data []byte) error {
	return unmarshalLists(data, (*[][]float64)(c), (*scanner).number)
}

func unmarshalLists[T int32 | float64](data []byte, column *[][]T, next func(*scanner) T) error {
	s := scanner{data: data}
	all := make([]T, 0, len(data)/4)
	ends := make([]int32, 0, len(data)/16)
	for s.begin(); s.more(); {
		for s.begin(); s.more(); {
			all = append(all, next(&s))
		}
		ends = append(ends, int32(len(all)))
	}
	if s.odd {
		return json.Unmarshal(data, column)
	}
	out := make([][]T, len(ends))
	from := int32(0)
	for i, to := range ends {
		out[i] = all[from:to:to]
		from = to
	}
	*column = out
	return nil
}

// scanner goes through lists of numbers without spaces. What it does not know makes it odd,
// and then nothing that it has read counts.
type scanner struct {
	data  []byte
	at    int
	first bool // nothing of the list has been read
	odd   bool
}

func (s *scanner) peek() byte {
	if s.at < len(s.data) {
		return s.data[s.at]
	}
	return 0
}

func (s *scanner) begin() {
	if s.peek() != '[' {
		s.odd = true
		return
	}
	s.at++
	s.first = true
}

// more steps to the next item of a list, and behind the list when there is none.
func (s *scanner) more() bool {
	if s.odd {
		return false
	}
	first := s.first
	s.first = false
	switch c := s.peek(); {
	case c == ']':
		s.at++
		return false
	case first:
		return true
	case c == ',':
		s.at++
		return true
	}
	s.odd = true
	return false
}

// maxDigits is how many digits a number may have to be exact in every step.
const maxDigits = 15

// digits reads digits onto a number, which is right for up to maxDigits of them.
func (s *scanner) digits(n int64) (int64, int) {
	from := s.at
	for ; s.at < len(s.data) && s.data[s.at]-'0' <= 9; s.at++ {
		n = n*10 + int64(s.data[s.at]-'0')
	}
	return n, s.at - from
}

func (s *scanner) whole() int64 {
	minus := s.peek() == '-'
	if minus {
		s.at++
	}
	n, count := s.digits(0)
	if count == 0 || count > maxDigits {
		s.odd = true
	}
	if minus {
		return -n
	}
	return n
}

// tens are the powers of ten that a number of maxDigits digits can be divided by; both are
// exact, and so the quotient is the nearest number, as strconv has it.
var tens = [maxDigits + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

func (s *scanner) number() float64 {
	from := s.at
	minus := s.peek() == '-'
	if minus {
		s.at++
	}
	n, count := s.digits(0)
	places := 0
	if s.peek() == '.' {
		s.at++
		n, places = s.digits(n)
	}
	if c := s.peek(); count == 0 || count+places > maxDigits || c == 'e' || c == 'E' {
		return s.long(from)
	}
	f := float64(n) / tens[places]
	if minus {
		return -f
	}
	return f
}

// long reads a number in any way that there is to write it.
func (s *scanner) long(from int) float64 {
	for s.at = from; s.at < len(s.data) && s.data[s.at] != ',' && s.data[s.at] != ']'; s.at++ {
	}
	f, err := strconv.ParseFloat(string(s.data[from:s.at]), 64)
	if err != nil {
		s.odd = true
	}
	return f
}
