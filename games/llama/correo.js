'use strict';
// A llama with the mail bag runs up three mountain paths that meet at the horizon.
const canvas = document.querySelector('canvas');
const c = canvas.getContext('2d');
const HORIZON = 235, GROUND = 640;
const SEED = parseInt(new URLSearchParams(location.search).get('seed') ?? '7', 10) || 0;
const LEVELS = { 'FÁCIL': 0.3, 'NORMAL': 0.4, 'DIFÍCIL': 0.52 };

let luck = 0;
const chance = () => {
  luck = (Math.imul(luck, 1664525) + 1013904223) | 0;
  return ((luck >>> 9) ^ (luck >>> 20 & 255)) / 8388608;
};

let screen = 'portada', level = 'NORMAL', pointer = { x: 0, y: 0 };
let lane, x, height, lift, things, gap, speed, run, letters, hearts, hurt, record = 0;

function setOut(name) {
  luck = SEED * 2654435761 | 0;
  for (let i = 0; i < 4; i++) chance();
  level = name; speed = LEVELS[name]; screen = 'carrera';
  lane = 0; x = 0; height = 0; lift = 0; things = []; gap = 0.3; run = 0; letters = 0; hearts = 3; hurt = 0;
  spread(0.7);
}
// spread lays something on the three paths, never three obstacles at once.
function spread(z) {
  const free = Math.floor(chance() * 3) - 1;
  for (const l of [-1, 0, 1]) {
    if (l === free) { if (chance() < 0.75) things.push({ kind: 'carta', lane: l, z }); }
    else if (chance() < 0.8) things.push({ kind: chance() < 0.55 ? 'roca' : 'tronco', lane: l, z });
  }
}

const button = (label, y, go) => ({ label, x: 490, y, w: 300, h: 64, go });
function buttons() {
  if (screen === 'portada') return [button('JUGAR', 420, () => { screen = 'nivel'; })];
  if (screen === 'nivel') return Object.keys(LEVELS).map((name, i) => button(name, 330 + i * 84, () => setOut(name)));
  if (screen === 'fin') return [button('OTRA VEZ', 430, () => { screen = 'nivel'; })];
  return [];
}
const over = (b) => pointer.x > b.x && pointer.x < b.x + b.w && pointer.y > b.y && pointer.y < b.y + b.h;
function locate(e) {
  const r = canvas.getBoundingClientRect();
  pointer = { x: (e.clientX - r.left) * 1280 / r.width, y: (e.clientY - r.top) * 720 / r.height };
}
canvas.addEventListener('pointermove', locate);
canvas.addEventListener('pointerup', (e) => {
  locate(e);
  buttons().find(over)?.go();
});

document.addEventListener('keydown', (e) => {
  if (screen !== 'carrera' || e.repeat) return;
  switch (e.key) {
    case 'ArrowLeft': case 'a': case 'A': lane = Math.max(-1, lane - 1); break;
    case 'ArrowRight': case 'd': case 'D': lane = Math.min(1, lane + 1); break;
    case 'ArrowUp': case 'w': case 'W': case ' ': if (height === 0) lift = 620; break;
    default: return;
  }
  e.preventDefault();
});

// A thing's z goes from 1 at the horizon to 0 at the llama's feet.
function advance(dt) {
  run += dt * speed;
  speed += dt * 0.004;
  x += (lane - x) * Math.min(1, dt * 12);
  hurt = Math.max(0, hurt - dt);
  height = Math.max(0, height + lift * dt);
  lift = height > 0 ? lift - 1900 * dt : 0;
  gap -= dt * speed;
  if (gap <= 0) {
    gap = 0.26 + chance() * 0.16;
    spread(1);
  }
  for (const t of things) {
    const before = t.z;
    t.z -= dt * speed;
    if (before > 0.03 && t.z <= 0.03 && Math.abs(t.lane - x) < 0.5) meet(t);
  }
  things = things.filter((t) => t.z > -0.12 && !t.taken);
}
function meet(t) {
  if (t.kind === 'carta') { t.taken = true; letters++; return; }
  if (t.kind === 'tronco' && height > 40) return;
  t.taken = true; hearts--; hurt = 0.5;
  if (hearts === 0) { screen = 'fin'; record = Math.max(record, letters); }
}

const near = (z) => 1 / (1 + 4 * Math.max(-0.1, z));
const place = (l, z) => { const k = (near(z) - 0.2) / 0.8; return { x: 640 + l * (40 + 260 * k), y: HORIZON + (GROUND - HORIZON) * k, k: 0.1 + 0.9 * k }; };

function shape(colour, ...points) {
  c.fillStyle = colour;
  c.beginPath();
  points.forEach(([a, b], i) => (i ? c.lineTo(a, b) : c.moveTo(a, b)));
  c.fill();
}
function words(text, at, y, size, colour = '#fff8e8', align = 'center') {
  c.font = `bold ${size}px "DejaVu Sans", Verdana, sans-serif`;
  c.textAlign = align; c.textBaseline = 'middle'; c.fillStyle = colour;
  c.fillText(text, at, y);
}
function land() {
  const sky = c.createLinearGradient(0, 0, 0, HORIZON);
  sky.addColorStop(0, '#4b6fb0'); sky.addColorStop(1, '#f6cfa8');
  c.fillStyle = sky; c.fillRect(0, 0, 1280, HORIZON);
  shape('#8d83b5', [0, 235], [150, 110], [290, 215], [430, 70], [600, 235]);
  shape('#7a70a8', [520, 235], [760, 90], [900, 190], [1060, 60], [1280, 220], [1280, 235]);
  shape('#ffffff', [430, 70], [396, 108], [430, 100], [468, 112]);
  shape('#ffffff', [1060, 60], [1028, 86], [1062, 92], [1100, 84]);
  c.fillStyle = '#7fa65a'; c.fillRect(0, HORIZON, 1280, 720 - HORIZON);
  for (let i = 0; i < 14; i++) {
    const z = 1 - ((run + i / 14) % 1), p = place(0, z);
    c.fillStyle = i % 2 ? '#88b062' : '#76994f'; c.fillRect(0, p.y, 1280, 26 * p.k);
  }
  for (const l of [-1, 0, 1]) {
    const a = place(l, 1), b = place(l, -0.1);
    shape('#d9b98a', [a.x - 12, a.y], [a.x + 12, a.y], [b.x + 110 * b.k, b.y], [b.x - 110 * b.k, b.y]);
  }
}
function thing(t) {
  const p = place(t.lane, t.z), s = p.k;
  if (t.kind === 'roca') {
    shape('#5d5666', [p.x - 90 * s, p.y], [p.x - 60 * s, p.y - 100 * s], [p.x + 20 * s, p.y - 130 * s], [p.x + 90 * s, p.y - 40 * s], [p.x + 84 * s, p.y]);
    shape('#77707f', [p.x - 60 * s, p.y - 100 * s], [p.x + 20 * s, p.y - 130 * s], [p.x, p.y - 60 * s]);
  } else if (t.kind === 'tronco') {
    c.fillStyle = '#6e4526'; c.fillRect(p.x - 100 * s, p.y - 36 * s, 200 * s, 34 * s);
    c.fillStyle = '#c99463'; c.beginPath(); c.arc(p.x + 100 * s, p.y - 19 * s, 17 * s, 0, 7); c.fill();
  } else {
    const y = p.y - (70 + Math.sin(run * 20) * 8) * s;
    c.fillStyle = '#fffdf2'; c.fillRect(p.x - 34 * s, y - 22 * s, 68 * s, 44 * s);
    shape('#d8462f', [p.x - 34 * s, y - 22 * s], [p.x, y + 6 * s], [p.x + 34 * s, y - 22 * s]);
  }
}
function llama() {
  const at = 640 + x * 300, step = height > 0 ? 0 : Math.sin(run * 46) * 10, y = GROUND - height - Math.abs(step) * 0.4;
  c.fillStyle = '#0003'; c.beginPath(); c.ellipse(at, GROUND + 4, 64, 14, 0, 0, 7); c.fill();
  if (hurt > 0 && Math.floor(hurt * 14) % 2) return;
  c.fillStyle = '#e8dcc8';
  for (const [dx, d] of [[-34, step], [18, -step]]) c.fillRect(at + dx, y - 60, 18, 56 + d);
  c.fillStyle = '#fff6e6'; c.beginPath(); c.ellipse(at, y - 92, 58, 52, 0, 0, 7); c.fill();
  c.fillRect(at - 17, y - 210, 34, 110);
  c.beginPath(); c.ellipse(at, y - 214, 27, 24, 0, 0, 7); c.fill();
  shape('#e8dcc8', [at - 24, y - 224], [at - 20, y - 262], [at - 8, y - 232]);
  shape('#e8dcc8', [at + 24, y - 224], [at + 20, y - 262], [at + 8, y - 232]);
  c.fillStyle = '#c2432f'; c.fillRect(at - 62, y - 110, 30, 46); c.fillRect(at + 32, y - 110, 30, 46); c.fillRect(at - 50, y - 122, 100, 12);
  c.fillStyle = '#f3c34d'; c.fillRect(at - 54, y - 94, 14, 10); c.fillRect(at + 40, y - 94, 14, 10);
}
function paint() {
  land();
  if (screen === 'carrera') {
    [...things].sort((a, b) => b.z - a.z).forEach((t) => { if (t.z > 0) thing(t); });
    llama();
    things.forEach((t) => { if (t.z <= 0) thing(t); });
    words(`Cartas: ${letters}`, 36, 44, 30, '#2c2438', 'left');
    words(level, 640, 44, 22, '#2c2438');
    words('♥'.repeat(hearts), 1244, 44, 38, '#d8462f', 'right');
    return;
  }
  c.fillStyle = '#2c2438b8'; c.fillRect(0, 0, 1280, 720);
  words(screen === 'fin' ? '¡Ay, la carta!' : 'Correo de altura', 640, 170, 68, '#ffe2b0');
  if (screen === 'portada') { words('← → cambiar de senda     ↑ saltar los troncos', 640, 290, 26); words('Las rocas no se saltan', 640, 340, 22, '#d5cbe0'); }
  if (screen === 'nivel') words('¿Qué tal el camino?', 640, 266, 28);
  if (screen === 'fin') { words(`Entregaste ${letters} cartas`, 640, 290, 30); words(`Récord: ${record}`, 640, 345, 24, '#d5cbe0'); }
  for (const b of buttons()) {
    c.fillStyle = over(b) ? '#ffd27a' : '#f0a44b';
    c.beginPath(); c.roundRect(b.x, b.y, b.w, b.h, 14); c.fill();
    words(b.label, 640, b.y + 34, 28, '#3a2410');
  }
}

let then = 0;
requestAnimationFrame(function tick(now) {
  const dt = Math.min(0.05, (now - then) / 1000);
  then = now;
  if (screen === 'carrera') advance(dt);
  paint();
  requestAnimationFrame(tick);
});
