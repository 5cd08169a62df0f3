package cdp

import (
	"bufio"
	"errors"
	"io"
)

type pipe struct {
	in  io.ReadCloser
	buf *bufio.Reader
	out io.WriteCloser
	m   bounded // the message that is being read
}

// Pipe is the transport of --remote-debugging-pipe: messages end with a zero
// byte. It owns both ends.
func Pipe(in io.ReadCloser, out io.WriteCloser) Transport {
	return &pipe{in: in, buf: bufio.NewReaderSize(in, 1<<16), out: out}
}

func (p *pipe) Read() ([]byte, error) {
	m := &p.m
	m.reuse()
	for {
		part, err := p.buf.ReadSlice(0)
		if err == nil {
			m.add(part[:len(part)-1])
			return m.done()
		}
		m.add(part)
		if !errors.Is(err, bufio.ErrBufferFull) {
			if err == io.EOF && m.size > 0 {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
}

func (p *pipe) limitReplies(limit func(id int64) int) { p.m.replies = limit }

func (p *pipe) Write(message []byte) error {
	_, err := p.out.Write(append(message, 0))
	return err
}

func (p *pipe) Close() error { return errors.Join(p.out.Close(), p.in.Close()) }
