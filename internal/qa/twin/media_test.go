package twin_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/playtest-dev/playtest/record"
)

// silence is a WAV file of a second and a half in which nothing is heard.
func silence() []byte {
	const rate, samples = 8000, 12000
	var b bytes.Buffer
	b.WriteString("RIFF")
	_ = binary.Write(&b, binary.LittleEndian, uint32(36+samples)) // a buffer takes everything
	b.WriteString("WAVEfmt ")
	_ = binary.Write(&b, binary.LittleEndian, struct {
		Size              uint32
		Format, Channels  uint16
		Rate, BytesSecond uint32
		Block, Bits       uint16
	}{16, 1, 1, rate, rate, 1, 8})
	b.WriteString("data")
	_ = binary.Write(&b, binary.LittleEndian, uint32(samples))
	b.Write(bytes.Repeat([]byte{128}, samples))
	return b.Bytes()
}

// TestSoundsLastInGameTime: a game that waits for the end of a sound hears of it after as much
// game time as the sound lasts, in every twin in the same frame.
func TestSoundsLastInGameTime(t *testing.T) {
	sound := silence()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/silence.wav" {
			w.Header().Set("Content-Type", "audio/wav")
			_, _ = w.Write(sound) // the browser says what it did not get
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><body style="margin:0;height:100vh"><audio id="marked" src="silence.wav"></audio><script>
const told = [], made = new Audio('silence.wav');
let began, turns = 0;
for (const [name, sound] of [['marked', marked], ['made', made]]) {
  for (const type of ['play', 'pause', 'ended']) {
    sound.addEventListener(type, () => told.push(name + ' ' + type + ' ' + Math.round((performance.now() - began) / 100) + ' ' + sound.paused + ' ' + sound.ended + ' ' + sound.currentTime.toFixed(1)));
  }
}
onmousedown = async () => {
  began = performance.now();
  marked.play();
  await made.play();
  setTimeout(() => { made.pause(); made.currentTime = 0.25; }, 1000);
};
</script>`)
	}))
	defer server.Close()
	for range 2 {
		one := open(t, server.URL, false)
		if err := one.Take(t.Context(), record.Input{Kind: record.InputClick, At: record.Point{X: 50, Y: 40}}); err != nil {
			t.Fatal(err)
		}
		pass(t, 150, one)
		var told []string
		if err := one.Page.MainFrame().Evaluate(t.Context(), "told", &told); err != nil {
			t.Fatal(err)
		}
		want := []string{"marked play 0 false false 0.0", "made play 0 false false 0.0", "made pause 10 true false 0.3", "marked pause 15 true true 1.5", "marked ended 15 true true 1.5"}
		if fmt.Sprint(told) != fmt.Sprint(want) {
			t.Errorf("the game heard %q, want %q", told, want)
		}
	}
}
