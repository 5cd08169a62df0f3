package cdp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// maxMessage bounds what one message may take of our memory; pictures of very
// long pages stay well below.
const maxMessage = 512 << 20

type pipe struct {
	in  io.ReadCloser
	buf *bufio.Reader
	out io.WriteCloser
}

// Pipe is the transport of --remote-debugging-pipe: messages end with a zero
// byte. It owns both ends.
func Pipe(in io.ReadCloser, out io.WriteCloser) Transport {
	return &pipe{in: in, buf: bufio.NewReaderSize(in, 1<<16), out: out}
}

func (p *pipe) Read() ([]byte, error) {
	var m []byte
	for {
		part, err := p.buf.ReadSlice(0)
		m = append(m, part...)
		if len(m) > maxMessage {
			return nil, fmt.Errorf("message over %d MiB", maxMessage>>20)
		}
		if err == nil {
			return m[:len(m)-1], nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			if err == io.EOF && len(m) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
}

func (p *pipe) Write(message []byte) error {
	_, err := p.out.Write(append(message, 0))
	return err
}

func (p *pipe) Close() error { return errors.Join(p.out.Close(), p.in.Close()) }
