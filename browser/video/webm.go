package video

import (
	"encoding/binary"
	"math"
	"time"
)

// chunk is an encoded picture.
type chunk struct {
	At   int64 // milliseconds
	Key  bool  // it needs no other to be shown
	Data []byte
}

// Elements of WebM (RFC 8794 and 9559) that a film needs.
const (
	idEBML, idVersion, idReadVersion, idMaxIDLength, idMaxSizeLength = 0x1A45DFA3, 0x4286, 0x42F7, 0x42F2, 0x42F3
	idDocType, idDocTypeVersion, idDocTypeReadVersion                = 0x4282, 0x4287, 0x4285
	idSegment, idInfo, idTimestampScale, idDuration                  = 0x18538067, 0x1549A966, 0x2AD7B1, 0x4489
	idMuxingApp, idWritingApp                                        = 0x4D80, 0x5741
	idTracks, idTrackEntry, idTrackNumber, idTrackUID, idTrackType   = 0x1654AE6B, 0xAE, 0xD7, 0x73C5, 0x83
	idCodecID, idVideo, idPixelWidth, idPixelHeight                  = 0x86, 0xE0, 0xB0, 0xBA
	idCluster, idTimestamp, idSimpleBlock                            = 0x1F43B675, 0xE7, 0xA3
	idCues, idCuePoint, idCueTime, idCueTrackPositions               = 0x1C53BB6B, 0xBB, 0xB3, 0xB7
	idCueTrack, idCueClusterPosition                                 = 0xF7, 0xF1
)

// maxCluster bounds a cluster, in milliseconds: blocks in it count from its beginning in
// sixteen bits.
const maxCluster = 30_000

// webm puts encoded pictures into a file that can be played and jumped about in. The
// first one needs no other.
func webm(codec string, width, height int, length time.Duration, chunks []chunk) []byte {
	header := master(idEBML,
		number(idVersion, 1), number(idReadVersion, 1), number(idMaxIDLength, 4), number(idMaxSizeLength, 8),
		element(idDocType, []byte("webm")), number(idDocTypeVersion, 4), number(idDocTypeReadVersion, 2))
	info := master(idInfo,
		number(idTimestampScale, uint64(time.Millisecond)),
		element(idDuration, binary.BigEndian.AppendUint64(nil, math.Float64bits(float64(length.Milliseconds())))),
		element(idMuxingApp, []byte("playtest")), element(idWritingApp, []byte("playtest")))
	tracks := master(idTracks, master(idTrackEntry,
		number(idTrackNumber, 1), number(idTrackUID, 1), number(idTrackType, 1),
		element(idCodecID, []byte(map[string]string{"vp8": "V_VP8", "vp9": "V_VP9"}[codec])),
		master(idVideo, number(idPixelWidth, uint64(width)), number(idPixelHeight, uint64(height)))))
	body := append(info, tracks...)
	var cues [][]byte
	for i := 0; i < len(chunks); {
		begin := chunks[i].At
		parts := [][]byte{number(idTimestamp, uint64(begin))}
		for first := true; i < len(chunks) && (first || !chunks[i].Key) && chunks[i].At-begin < maxCluster; i++ {
			parts = append(parts, block(chunks[i], begin))
			first = false
		}
		cues = append(cues, master(idCuePoint, number(idCueTime, uint64(begin)),
			master(idCueTrackPositions, number(idCueTrack, 1), number(idCueClusterPosition, uint64(len(body))))))
		body = append(body, master(idCluster, parts...)...)
	}
	body = append(body, master(idCues, cues...)...)
	return append(header, element(idSegment, body)...)
}

func block(c chunk, begin int64) []byte {
	flags := byte(0)
	if c.Key {
		flags = 0x80
	}
	data := binary.BigEndian.AppendUint16([]byte{0x81}, uint16(c.At-begin)) // of track 1
	return element(idSimpleBlock, append(append(data, flags), c.Data...))
}

func master(id uint32, children ...[]byte) []byte {
	var body []byte
	for _, c := range children {
		body = append(body, c...)
	}
	return element(id, body)
}

func number(id uint32, n uint64) []byte {
	data := binary.BigEndian.AppendUint64(nil, n)
	for len(data) > 1 && data[0] == 0 {
		data = data[1:]
	}
	return element(id, data)
}

// element writes an id, which knows its own length, the size in eight bytes and the data.
func element(id uint32, data []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, id)
	for out[0] == 0 {
		out = out[1:]
	}
	out = binary.BigEndian.AppendUint64(out, uint64(len(data))|1<<56)
	return append(out, data...)
}
