'use strict';
const canvas = document.getElementById('game');
const g = canvas.getContext('2d');
const W = canvas.width, H = canvas.height;
const SEED = Number(new URLSearchParams(location.search).get('seed') || 11);
const BUTTON = { x: W / 2 - 90, y: 300, w: 180, h: 60 };
const PALETTE = ['#ffd166', '#f78fb3', '#7bdff2', '#b2f7a3'];

let state = SEED | 0;
const rnd = () => {
  state = (state + 0x9e3779b9) | 0;
  let t = state ^ (state >>> 16);
  t = Math.imul(t, 0x21f0aaad); t ^= t >>> 15;
  t = Math.imul(t, 0x735a2d97);
  return ((t ^ (t >>> 15)) >>> 0) / 4294967296;
};
const backdrop = Array.from({ length: 90 }, () => [rnd() * W, rnd() * H * 0.8, rnd() * 1.6 + 0.3, rnd() * 6]);

let scene = 'title', boat, drops, sparks, score, best = 0, lives, level, next, shake, hover = false, clock = 0;
const held = { left: false, right: false };

function begin() {
  state = SEED | 0;
  scene = 'play'; boat = { x: W / 2, v: 0 }; drops = []; sparks = [];
  score = 0; lives = 3; level = 1; next = 0.4; shake = 0;
}
function key(down) {
  return (e) => {
    switch (e.keyCode) {
      case 37: case 65: held.left = down; break;
      case 39: case 68: held.right = down; break;
    }
  };
}
window.addEventListener('keydown', key(true));
window.addEventListener('keyup', key(false));

function toGame(e) {
  const r = canvas.getBoundingClientRect();
  return { x: (e.clientX - r.left) * W / r.width, y: (e.clientY - r.top) * H / r.height };
}
const over = (p) => p.x > BUTTON.x && p.x < BUTTON.x + BUTTON.w && p.y > BUTTON.y && p.y < BUTTON.y + BUTTON.h;
canvas.addEventListener('mousemove', (e) => { hover = scene !== 'play' && over(toGame(e)); canvas.style.cursor = hover ? 'pointer' : 'default'; });
canvas.addEventListener('click', (e) => { if (scene !== 'play' && over(toGame(e))) begin(); });

function burst(x, y, color, n) {
  for (let i = 0; i < n; i++) { const a = rnd() * 6.28, s = 40 + rnd() * 160; sparks.push({ x, y, vx: Math.cos(a) * s, vy: Math.sin(a) * s - 60, t: 0.7, color }); }
}
function update(dt) {
  clock += dt;
  if (scene !== 'play') return;
  const want = (held.right ? 1 : 0) - (held.left ? 1 : 0);
  boat.v += (want * 430 - boat.v) * Math.min(1, dt * 10);
  boat.x = Math.max(46, Math.min(W - 46, boat.x + boat.v * dt));
  next -= dt;
  if (next <= 0) {
    next = Math.max(0.32, 1.0 - level * 0.09) * (0.7 + rnd() * 0.6);
    const coal = rnd() < 0.22;
    drops.push({ x: 40 + rnd() * (W - 80), y: -20, vy: 105 + level * 22 + rnd() * 50, spin: rnd() * 6, coal, color: PALETTE[Math.floor(rnd() * 4)] });
  }
  for (const d of drops) {
    d.y += d.vy * dt; d.spin += dt * 3;
    if (d.y > H - 74 && d.y < H - 44 && Math.abs(d.x - boat.x) < 54) {
      d.gone = true;
      if (d.coal) { lives--; shake = 0.4; burst(d.x, d.y, '#ff5c3c', 18); }
      else { score++; level = 1 + Math.floor(score / 10); burst(d.x, d.y, d.color, 12); }
    } else if (d.y > H - 22) { d.gone = true; if (!d.coal) { lives--; shake = 0.25; burst(d.x, H - 26, '#9fd3ff', 10); } }
  }
  drops = drops.filter((d) => !d.gone);
  for (const s of sparks) { s.t -= dt; s.x += s.vx * dt; s.y += s.vy * dt; s.vy += 300 * dt; }
  sparks = sparks.filter((s) => s.t > 0);
  shake = Math.max(0, shake - dt);
  if (lives <= 0) { scene = 'over'; best = Math.max(best, score); }
}
function star(x, y, r, spin, color) {
  g.save(); g.translate(x, y); g.rotate(spin); g.fillStyle = color; g.beginPath();
  for (let i = 0; i < 10; i++) { const a = i * Math.PI / 5, q = i % 2 ? r * 0.45 : r; g.lineTo(Math.cos(a) * q, Math.sin(a) * q); }
  g.fill(); g.restore();
}
function label(text, x, y, size, color, align) {
  g.font = `bold ${size}px "Trebuchet MS", "DejaVu Sans", sans-serif`; g.textAlign = align || 'center'; g.textBaseline = 'middle'; g.fillStyle = color; g.fillText(text, x, y);
}
function draw() {
  g.save();
  if (shake > 0) g.translate(Math.sin(clock * 90) * 7 * shake, Math.cos(clock * 70) * 7 * shake);
  const sky = g.createLinearGradient(0, 0, 0, H);
  sky.addColorStop(0, '#0b1b3f'); sky.addColorStop(0.6, '#234a86'); sky.addColorStop(1, '#5f8fc4');
  g.fillStyle = sky; g.fillRect(-20, -20, W + 40, H + 40);
  for (const [x, y, r, p] of backdrop) { g.globalAlpha = 0.4 + 0.4 * Math.sin(clock * 1.5 + p); g.fillStyle = '#fff'; g.fillRect(x, y, r, r); }
  g.globalAlpha = 1;
  g.fillStyle = '#f6f1d5'; g.beginPath(); g.arc(600, 84, 34, 0, 7); g.fill();
  g.fillStyle = '#14305f'; g.beginPath(); g.arc(614, 76, 30, 0, 7); g.fill();
  for (let k = 0; k < 3; k++) {
    g.fillStyle = ['#1d4f86', '#174272', '#10325a'][k]; g.beginPath(); g.moveTo(-20, H + 20);
    for (let x = -20; x <= W + 20; x += 20) g.lineTo(x, H - 52 + k * 14 + Math.sin(x / (46 + k * 12) + clock * (1 + k * 0.4)) * 6);
    g.lineTo(W + 20, H + 20); g.fill();
    if (k === 0 && scene !== 'title') paper();
  }
  if (scene !== 'title') {
    for (const d of drops) {
      if (d.coal) { g.fillStyle = '#2b2226'; g.beginPath(); g.arc(d.x, d.y, 14, 0, 7); g.fill(); g.fillStyle = '#ff6b3d'; g.beginPath(); g.arc(d.x - 3, d.y + 3, 6, 0, 7); g.fill(); }
      else star(d.x, d.y, 16, d.spin, d.color);
    }
    for (const s of sparks) { g.globalAlpha = Math.min(1, s.t * 2); g.fillStyle = s.color; g.fillRect(s.x - 2, s.y - 2, 4, 4); }
    g.globalAlpha = 1;
    label(`SCORE ${score}`, 18, 26, 20, '#fff', 'left'); label(`LEVEL ${level}`, W / 2, 26, 20, '#cfe6ff');
    for (let i = 0; i < 3; i++) star(W - 30 - i * 32, 26, 12, 0.3, i < lives ? '#ffd166' : '#ffffff22');
  }
  if (scene !== 'play') {
    g.fillStyle = '#06102299'; g.fillRect(-20, -20, W + 40, H + 40);
    if (scene === 'title') { label('STARFALL', W / 2, 150, 74, '#ffd166'); label('catch the stars, let the coals drown', W / 2, 215, 20, '#dcecff'); label('arrow keys or A and D', W / 2, 250, 16, '#a8c6ea'); }
    else { label('GAME OVER', W / 2, 150, 60, '#ff8f6b'); label(`${score} stars, best ${best}`, W / 2, 220, 24, '#fff'); }
    g.fillStyle = hover ? '#ffe39a' : '#ffd166'; g.beginPath(); g.roundRect(BUTTON.x, BUTTON.y, BUTTON.w, BUTTON.h, 30); g.fill();
    label(scene === 'title' ? 'PLAY' : 'PLAY AGAIN', W / 2, BUTTON.y + 31, 24, '#10294f');
  }
  g.restore();
}
function paper() {
  g.save(); g.translate(boat.x, H - 52 + Math.sin(clock * 2) * 4); g.rotate(boat.v / 2600 + Math.sin(clock * 1.7) * 0.03);
  g.fillStyle = '#fffdf3'; g.beginPath(); g.moveTo(-54, -14); g.lineTo(54, -14); g.lineTo(30, 20); g.lineTo(-30, 20); g.fill();
  g.fillStyle = '#e6ddc4'; g.beginPath(); g.moveTo(-54, -14); g.lineTo(0, 20); g.lineTo(-30, 20); g.fill();
  g.fillStyle = '#f2ead2'; g.beginPath(); g.moveTo(-20, -14); g.lineTo(0, -44); g.lineTo(20, -14); g.fill();
  g.restore();
}
let last = performance.now();
requestAnimationFrame(function frame(now) {
  update(Math.min(0.05, (now - last) / 1000)); last = now; draw();
  requestAnimationFrame(frame);
});
