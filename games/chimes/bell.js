// One struck bell: three partials that fade. Without sound hardware the game goes on in silence.
let audio = null;

export function wake() {
  audio ??= new AudioContext();
  if (audio.state === 'suspended') audio.resume();
}

export function strike(pitch, loud) {
  if (!audio) return;
  for (const [ratio, part] of [[1, 1], [2.76, 0.4], [5.4, 0.15]]) {
    const tone = audio.createOscillator(), volume = audio.createGain();
    tone.frequency.value = pitch * ratio;
    volume.gain.setValueAtTime(0.15 * part * loud, audio.currentTime);
    volume.gain.exponentialRampToValueAtTime(0.0005, audio.currentTime + 1.2 / ratio);
    tone.connect(volume).connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + 1.3 / ratio);
  }
}
