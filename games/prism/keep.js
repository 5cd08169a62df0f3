import { Painter } from './painter.js';

const canvas = document.getElementById('keep');
const paint = new Painter(canvas, document.getElementById('vs').text, document.getElementById('fs').text);
const W = 640, H = 360, CX = W / 2, CY = H / 2 + 6;
const BUTTON = { x: CX - 62, y: 232, w: 124, h: 40 };
const COLORS = [[1, 0.42, 0.5], [0.4, 0.85, 1], [0.75, 0.55, 1], [0.55, 1, 0.65], [1, 0.8, 0.35]];

class Dice {
  constructor(seed) { this.a = seed >>> 0 || 1; this.b = 0x9e3779b9; for (let i = 0; i < 8; i++) this.roll(); }
  roll() { let t = this.a; const s = this.b; this.a = s; t ^= t << 23; t ^= t >>> 17; t ^= s ^ (s >>> 26); this.b = t >>> 0; return ((t + s) >>> 0) / 4294967296; }
}
const seed = Number(new URLSearchParams(location.search).get('seed') || 2);
let dice = new Dice(seed);
const stars = Array.from({ length: 80 }, () => [dice.roll() * W, dice.roll() * H, dice.roll()]);

let mode = 'title', crystals = [], shots = [], bits = [], score = 0, best = 0, shield = 3, wave = 1, wait = 0, time = 0, heat = 0, jolt = 0;
const mouse = { x: CX, y: 40, over: false };

function begin() { dice = new Dice(seed); mode = 'play'; crystals = []; shots = []; bits = []; score = 0; shield = 3; wave = 1; wait = 0.6; time = 0; heat = 0; }
function place(e) { const r = canvas.getBoundingClientRect(); mouse.x = (e.clientX - r.left) / r.width * W; mouse.y = (e.clientY - r.top) / r.height * H; mouse.over = mouse.x > BUTTON.x && mouse.x < BUTTON.x + BUTTON.w && mouse.y > BUTTON.y && mouse.y < BUTTON.y + BUTTON.h; }
canvas.addEventListener('mousemove', place);
canvas.addEventListener('mousedown', (e) => {
  place(e);
  if (mode === 'play') fire();
  else if (mouse.over) begin();
});
function fire() {
  const a = Math.atan2(mouse.y - CY, mouse.x - CX);
  shots.push({ x: CX + Math.cos(a) * 22, y: CY + Math.sin(a) * 22, vx: Math.cos(a) * 360, vy: Math.sin(a) * 360, a }); heat = 1;
}
function shatter(c, n) { for (let i = 0; i < n; i++) { const a = dice.roll() * 6.283, v = 30 + dice.roll() * 110; bits.push({ x: c.x, y: c.y, vx: Math.cos(a) * v, vy: Math.sin(a) * v, t: 0.6, color: c.color, a }); } }
function step(dt) {
  time += dt; heat = Math.max(0, heat - dt * 5); jolt = Math.max(0, jolt - dt * 3);
  for (const b of bits) { b.t -= dt; b.x += b.vx * dt; b.y += b.vy * dt; }
  bits = bits.filter((b) => b.t > 0);
  if (mode !== 'play') return;
  wave = 1 + Math.floor(score / 80); wait -= dt;
  if (wait <= 0) {
    wait = Math.max(0.5, 1.9 - wave * 0.16) * (0.7 + dice.roll() * 0.6);
    const a = dice.roll() * 6.283, big = dice.roll() < 0.25 + wave * 0.03;
    crystals.push({ x: CX + Math.cos(a) * 360, y: CY + Math.sin(a) * 230, v: 26 + wave * 4 + dice.roll() * 12, r: big ? 20 : 13, hp: big ? 2 : 1, spin: dice.roll() * 6, turn: dice.roll() - 0.5, color: COLORS[Math.floor(dice.roll() * 5)] });
  }
  for (const s of shots) { s.x += s.vx * dt; s.y += s.vy * dt; if (s.x < -20 || s.x > W + 20 || s.y < -20 || s.y > H + 20) s.gone = true; }
  for (const c of crystals) {
    const d = Math.hypot(CX - c.x, CY - c.y); c.x += (CX - c.x) / d * c.v * dt; c.y += (CY - c.y) / d * c.v * dt; c.spin += dt * c.turn * 3;
    for (const s of shots) if (!s.gone && Math.hypot(s.x - c.x, s.y - c.y) < c.r + 5) { s.gone = true; shatter(c, 8); if (--c.hp <= 0) { c.gone = true; score += 10; shatter(c, 14); break; } c.r *= 0.75; }
    if (!c.gone && d < 26) { c.gone = true; shield--; jolt = 1; shatter(c, 24); }
  }
  shots = shots.filter((s) => !s.gone); crystals = crystals.filter((c) => !c.gone);
  if (shield <= 0) { mode = 'over'; best = Math.max(best, score); }
}
function gem(x, y, r, spin, color) {
  for (let i = 0; i < 6; i++) {
    const a = spin + i * 1.0472, b = a + 1.0472, light = 0.55 + 0.45 * Math.sin(a * 1.3 + 1);
    paint.tri(x, y, x + Math.cos(a) * r, y + Math.sin(a) * r, x + Math.cos(b) * r, y + Math.sin(b) * r, [color[0] * light, color[1] * light, color[2] * light, 0.95]);
  }
}
function draw() {
  const o = Math.sin(time * 60) * jolt * 5;
  paint.begin(0.055, 0.07, 0.11);
  for (const [x, y, k] of stars) paint.rect(x, y, 1 + k, 1 + k, [0.7, 0.8, 1, 0.25 + 0.3 * Math.sin(time * 2 + k * 9) ** 2]);
  for (let i = 3; i > 0; i--) gem(CX + o, CY, i * 46 + Math.sin(time + i) * 3, time * 0.05 * (i % 2 ? 1 : -1), [0.1 + i * 0.008, 0.13, 0.2]);
  for (const c of crystals) { gem(c.x, c.y, c.r, c.spin, c.color); paint.tri(c.x - c.r * 0.3, c.y - c.r * 0.2, c.x, c.y - c.r * 0.8, c.x + c.r * 0.1, c.y - c.r * 0.2, [1, 1, 1, 0.5]); }
  for (const s of shots) { const x = Math.cos(s.a), y = Math.sin(s.a); paint.tri(s.x + x * 12, s.y + y * 12, s.x - x * 8 - y * 3, s.y - y * 8 + x * 3, s.x - x * 8 + y * 3, s.y - y * 8 - x * 3, [1, 1, 0.85, 1]); }
  for (const b of bits) paint.tri(b.x, b.y - 4, b.x + 4, b.y + 3, b.x - 4, b.y + 2, [...b.color, b.t * 1.6]);
  const a = Math.atan2(mouse.y - CY, mouse.x - CX), x = Math.cos(a), y = Math.sin(a);
  gem(CX + o, CY, 20, time * 0.4, shield > 1 || mode !== 'play' ? [0.85, 0.95, 1] : [1, 0.5, 0.5]);
  paint.tri(CX + o + x * (34 - heat * 6), CY + y * (34 - heat * 6), CX + o - y * 9, CY + x * 9, CX + o + y * 9, CY - x * 9, [1, 0.95, 0.7, 1]);
  if (mode === 'play') { paint.text('SCORE ' + score, 14, 12, 16, [1, 1, 1, 1]); paint.text('WAVE ' + wave, CX, 12, 16, [0.7, 0.85, 1, 1], 0.5); for (let i = 0; i < shield; i++) gem(W - 20 - i * 22, 20, 8, 0.5, [0.6, 0.95, 1]); }
  else {
    paint.rect(0, 0, W, H, [0.03, 0.04, 0.07, 0.7]);
    paint.text(mode === 'title' ? 'PRISM KEEP' : 'GAME OVER', CX, 92, 52, [0.85, 0.95, 1, 1], 0.5);
    paint.text(mode === 'title' ? 'aim with the mouse, click to fire' : `${score} points, best ${best}`, CX, 168, 18, [0.65, 0.75, 0.9, 1], 0.5);
    paint.rect(BUTTON.x, BUTTON.y, BUTTON.w, BUTTON.h, mouse.over ? [0.6, 0.95, 1, 1] : [0.4, 0.8, 1, 1]);
    paint.text(mode === 'title' ? 'BEGIN' : 'AGAIN', CX, BUTTON.y + 9, 22, [0.04, 0.08, 0.14, 1], 0.5);
  }
  paint.end();
}
let last = performance.now();
const loop = (now) => { step(Math.min(0.08, (now - last) / 1000)); last = now; draw(); requestAnimationFrame(loop); };
requestAnimationFrame(loop);
