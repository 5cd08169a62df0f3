import { wake, strike } from './bell.js';

const song = await (await fetch('song.json')).json();
const canvas = document.getElementById('tower'), p = canvas.getContext('2d');
const KEYS = ['KeyD', 'KeyF', 'KeyJ', 'KeyK'], HUES = [12, 48, 165, 265];
const LINE = 560, FALL = 1.9, EARLY = 0.16; // where drops meet the bells, seconds of fall, seconds of tolerance
const seed = Number(new URLSearchParams(location.search).get('seed') || 3);

let stage = 'wait', clock = 0, notes = [], swing = [0, 0, 0, 0], glow = [0, 0, 0, 0], rings = [], light = 1, streak = 0, hits = 0;
const lane = (i) => 400 + i * 160;

// The song is the first phrase, then five more in an order that the seed decides.
function compose() {
  let n = (seed * 40503 + 977) >>> 0;
  const draw = (k) => { n ^= n << 13; n ^= n >>> 17; n ^= n << 5; n >>>= 0; return n % k; };
  const order = [0, ...Array.from({ length: 5 }, () => draw(song.phrases.length))];
  const all = [];
  order.forEach((which, i) => [...song.phrases[which]].forEach((ch, j) => {
    if (ch !== '.') all.push({ lane: Number(ch), at: 2.4 + (i * 32 + j) * song.beat / 2, done: false });
  }));
  return all;
}
function begin() { wake(); stage = 'play'; clock = 0; notes = compose(); light = 1; streak = 0; hits = 0; rings = []; }

addEventListener('keydown', (e) => {
  if (e.repeat) return;
  if (e.code === 'Enter' && stage !== 'play') return begin();
  const i = KEYS.indexOf(e.code);
  if (i < 0 || stage !== 'play') return;
  swing[i] = 1;
  const note = notes.find((n) => !n.done && n.lane === i && Math.abs(n.at - clock) < EARLY);
  strike(song.pitches[i], note ? 1 : 0.25);
  if (!note) { streak = 0; return; }
  note.done = true; hits++; streak++; glow[i] = 1; light = Math.min(1, light + 0.03);
  rings.push({ x: lane(i), t: 0, hue: HUES[i] });
});

function move(dt) {
  clock += dt;
  for (let i = 0; i < 4; i++) { swing[i] *= Math.exp(-dt * 3); glow[i] = Math.max(0, glow[i] - dt * 2.5); }
  for (const r of rings) r.t += dt;
  rings = rings.filter((r) => r.t < 0.6);
  if (stage !== 'play') return;
  for (const n of notes) if (!n.done && clock - n.at > EARLY) { n.done = true; light -= 0.09; streak = 0; }
  if (light <= 0 || notes.every((n) => n.done)) { stage = 'over'; light = Math.max(0, light); }
}
function circle(x, y, r, fill) { p.fillStyle = fill; p.beginPath(); p.arc(x, y, r, 0, Math.PI * 2); p.fill(); }
function cap(x, y, w, text, lit) {
  p.fillStyle = '#0008'; p.beginPath(); p.roundRect(x - w / 2, y - 24, w, 54, 10); p.fill();
  p.fillStyle = lit ? '#fff3c4' : '#d9e3ee'; p.beginPath(); p.roundRect(x - w / 2, y - 28, w, 50, 10); p.fill();
  p.fillStyle = '#22344a'; p.font = 'bold 26px "DejaVu Sans", sans-serif'; p.textAlign = 'center'; p.textBaseline = 'middle'; p.fillText(text, x, y - 3);
}
function bell(i) {
  const x = lane(i), h = HUES[i];
  p.save(); p.translate(x, LINE - 52); p.rotate(Math.sin(clock * 15) * 0.38 * swing[i]);
  circle(0, 84, 10, `hsl(${h} 50% 30%)`);
  p.fillStyle = `hsl(${h} 70% ${52 + 30 * glow[i]}%)`;
  p.beginPath(); p.moveTo(-16, 0); p.quadraticCurveTo(-34, 60, -52, 76); p.lineTo(52, 76); p.quadraticCurveTo(34, 60, 16, 0); p.closePath(); p.fill();
  circle(0, 0, 16, `hsl(${h} 70% 60%)`);
  p.fillStyle = '#fff3'; p.fillRect(-46, 64, 92, 6);
  p.restore();
}
function show() {
  const k = Math.min(innerWidth / 1280, innerHeight / 720);
  if (canvas.width !== innerWidth || canvas.height !== innerHeight) { canvas.width = innerWidth; canvas.height = innerHeight; }
  p.setTransform(1, 0, 0, 1, 0, 0);
  const dusk = p.createLinearGradient(0, 0, 0, innerHeight);
  dusk.addColorStop(0, '#0e1b2b'); dusk.addColorStop(1, `hsl(${250 + 20 * Math.sin(clock / 5)} 35% ${18 + 14 * light}%)`);
  p.fillStyle = dusk; p.fillRect(0, 0, innerWidth, innerHeight);
  p.setTransform(k, 0, 0, k, (innerWidth - 1280 * k) / 2, (innerHeight - 720 * k) / 2);
  p.fillStyle = '#1b2c42'; p.fillRect(300, 0, 680, 720); p.fillStyle = '#28405c'; p.fillRect(290, 0, 12, 720); p.fillRect(978, 0, 12, 720);
  for (let i = 0; i < 4; i++) { p.fillStyle = '#ffffff12'; p.fillRect(lane(i) - 2, 0, 4, LINE - 60); }
  for (const n of notes) {
    const y = LINE - 40 - (n.at - clock) / FALL * LINE;
    if (stage === 'play' && !n.done && y > -40) { circle(lane(n.lane), y, 26, `hsl(${HUES[n.lane]} 80% 62%)`); circle(lane(n.lane) - 8, y - 8, 8, '#fff9'); }
  }
  KEYS.forEach((code, i) => { bell(i); cap(lane(i), 665, 56, code.slice(3), swing[i] > 0.6); });
  for (const r of rings) { p.strokeStyle = `hsl(${r.hue} 90% 75% / ${1 - r.t / 0.6})`; p.lineWidth = 6; p.beginPath(); p.arc(r.x, LINE, 50 + r.t * 140, 0, 7); p.stroke(); }
  // The moon wanes with every missed drop; the stars are the drops that were met.
  circle(1120, 130, 70, '#24364d'); p.save(); p.beginPath(); p.arc(1120, 130, 70, 0, 7); p.clip(); p.fillStyle = '#ffe9a8'; p.fillRect(1050, 200 - 140 * light, 140, 140); p.restore();
  for (let i = 0; i < Math.min(hits, 80); i++) circle(40 + (i % 8) * 30, 60 + Math.floor(i / 8) * 30, 5 + (i >= hits - streak ? 3 : 0), '#ffe9a8');
  if (stage !== 'play') {
    p.fillStyle = '#0a1420b0'; p.fillRect(0, 0, 1280, 720);
    p.font = '150px "DejaVu Sans", sans-serif'; p.textAlign = 'center'; p.fillStyle = '#ffe9a8'; p.fillText(stage === 'over' ? (light > 0 ? '★' : '☾') : '♫', 640, 240 + Math.sin(clock * 2) * 8);
    cap(640, 430, 150, '↵', Math.sin(clock * 5) > 0);
  }
}
let then = performance.now();
function frame(now) { move(Math.min(0.05, Math.max(0, now - then) / 1000)); then = now; show(); requestAnimationFrame(frame); }
requestAnimationFrame(frame);
