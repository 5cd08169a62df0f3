'use strict';
const $ = (id) => document.getElementById(id);
const g = $('beet').getContext('2d');
const KINDS = {
  igel: { cost: 30, reach: 135, pause: 0.45, bite: 1, colour: '#8a5a34' },
  ente: { cost: 50, reach: 200, pause: 1.3, bite: 4, colour: '#f6f3e6' },
  brause: { cost: 40, reach: 130, pause: 0.2, bite: 0, colour: '#4f9fd8' },
};
let dice;
function* numbers(seed) {
  for (let a = seed | 0; ;) {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    yield ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
}
const seed = Number(new URLSearchParams(location.search).get('seed') || 4);
const roll = () => dice.next().value;

let on = false, guards = [], snails = [], shots = [], tufts = [], salad, coins, wave, toCome, wait, mouse = null;
dice = numbers(seed + 99);
for (let i = 0; i < 170; i++) tufts.push([roll() * 1000, roll() * 720, 3 + roll() * 5]);

function open() {
  dice = numbers(seed);
  guards = []; snails = []; shots = []; salad = 8; coins = 90; wave = 0; toCome = 0; wait = 1;
  on = true; $('veil').hidden = true; $('note').textContent = '';
  tell();
}
function close(won) {
  on = false;
  $('titel').textContent = won ? 'Der Salat ist gerettet!' : 'Alles aufgefressen';
  $('text').textContent = `Du hast ${wave} Wellen erlebt und ${salad} Köpfe Salat behalten.`;
  $('los').textContent = 'Noch einmal';
  $('veil').hidden = false;
}
function tell() { $('salat').textContent = salad; $('taler').textContent = coins; $('welle').textContent = `${wave} / 9`; }
$('los').onclick = open;

const spot = (e) => ({ x: e.offsetX, y: e.offsetY });
$('beet').addEventListener('mousemove', (e) => { mouse = spot(e); });
$('beet').addEventListener('mouseleave', () => { mouse = null; });
$('beet').addEventListener('click', (e) => {
  if (!on) return;
  const { x, y } = spot(e), name = document.querySelector('[name=wer]:checked').value, kind = KINDS[name];
  if (onPath(x, y)) $('note').textContent = 'Nicht auf den Weg!';
  else if (guards.some((o) => Math.hypot(o.x - x, o.y - y) < 52)) $('note').textContent = 'Da steht schon jemand.';
  else if (coins < kind.cost) $('note').textContent = `Dafür fehlen ${kind.cost - coins} Taler.`;
  else { guards.push({ x, y, name, kind, rest: 0, look: 0 }); coins -= kind.cost; $('note').textContent = 'Aufgestellt.'; tell(); }
});

function step(dt) {
  wait -= dt;
  if (wait <= 0 && toCome > 0) {
    toCome--; wait = 0.9 + roll() * 0.5;
    const strong = roll() < wave * 0.06;
    snails.push({ way: 0, life: (strong ? 9 : 4) + wave, full: (strong ? 9 : 4) + wave, pace: (strong ? 46 : 62) + wave * 3 + roll() * 10, wet: 0, hue: 20 + roll() * 320, big: strong ? 1.35 : 1 });
  } else if (toCome === 0 && snails.length === 0) {
    if (wave === 9) return close(true);
    wave++; toCome = 4 + wave; wait = 2; coins += 15; tell();
  }
  for (const s of snails) {
    s.wet = Math.max(0, s.wet - dt);
    s.way += s.pace * (s.wet > 0 ? 0.45 : 1) * dt;
    Object.assign(s, along(s.way));
    if (s.way > WHOLE - 30) { s.life = 0; salad--; tell(); } else if (s.life <= 0) { coins += 8; tell(); }
  }
  snails = snails.filter((s) => s.life > 0);
  for (const o of guards) {
    o.rest -= dt;
    if (o.rest > 0) continue;
    const prey = snails.filter((s) => Math.hypot(s.x - o.x, s.y - o.y) < o.kind.reach).sort((a, b) => b.way - a.way)[0];
    if (!prey) continue;
    o.rest = o.kind.pause; o.look = Math.atan2(prey.y - o.y, prey.x - o.x);
    prey.life -= o.kind.bite;
    if (o.name === 'brause') prey.wet = 1;
    shots.push({ a: o, b: { x: prey.x, y: prey.y }, t: 0.18 });
  }
  shots = shots.filter((s) => (s.t -= dt) > 0);
  if (salad <= 0) close(false);
}

const disc = (x, y, r, colour) => { g.fillStyle = colour; g.beginPath(); g.arc(x, y, r, 0, Math.PI * 2); g.fill(); };
function guard(o) {
  g.save(); g.translate(o.x, o.y); g.rotate(o.look);
  if (o.name === 'igel') {
    g.fillStyle = '#5c3b20'; g.beginPath();
    for (let i = 0; i <= 22; i++) { const a = i / 22 * 6.283, r = i % 2 ? 27 : 19; g.lineTo(Math.cos(a) * r, Math.sin(a) * r); }
    g.fill(); disc(10, 0, 14, '#d8a36a'); disc(25, 0, 4, '#222'); disc(14, -6, 2.5, '#222'); disc(14, 6, 2.5, '#222');
  } else if (o.name === 'ente') {
    disc(-6, 0, 22, '#f6f3e6'); disc(14, 0, 13, '#fffdf4'); g.fillStyle = '#f0912f'; g.fillRect(24, -5, 14, 10); disc(17, -6, 2.5, '#222'); disc(17, 6, 2.5, '#222');
  } else { disc(0, 0, 22, '#2f6f9f'); disc(0, 0, 13, '#8fd3ff'); g.fillStyle = '#2f6f9f'; g.fillRect(8, -5, 24, 10); }
  g.restore();
}
function draw() {
  g.fillStyle = '#5d8f45'; g.fillRect(0, 0, 1000, 720);
  for (const [x, y, r] of tufts) { g.fillStyle = '#6ea153'; g.fillRect(x, y, 2, r); g.fillRect(x + 4, y + 2, 2, r); }
  g.lineJoin = 'round';
  for (const [width, colour] of [[76, '#8a6a42'], [64, '#c5a06b']]) {
    g.strokeStyle = colour; g.lineWidth = width; g.beginPath(); PATH.forEach(([x, y]) => g.lineTo(x, y)); g.stroke();
  }
  for (let i = 0; i < salad; i++) { const x = 925 + (i % 2) * 46, y = 380 + Math.floor(i / 2) * 46 + (i > 3 ? 108 : 0); disc(x, y, 20, '#3f9a3a'); disc(x - 4, y - 4, 13, '#7fce5c'); disc(x, y, 6, '#c4ef9c'); }
  for (const s of snails) {
    const k = s.big;
    g.fillStyle = '#d9c7a0'; g.beginPath(); g.ellipse(s.x, s.y + 10 * k, 24 * k, 8 * k, 0, 0, 7); g.fill();
    disc(s.x - s.dx * 4, s.y, 15 * k, `hsl(${s.hue} 45% 45%)`); disc(s.x - s.dx * 4, s.y, 8 * k, `hsl(${s.hue} 45% 62%)`);
    if (s.wet > 0) disc(s.x + 12, s.y - 16, 5, '#8fd3ff');
    g.fillStyle = '#0006'; g.fillRect(s.x - 18, s.y - 26 * k, 36, 5); g.fillStyle = '#ffd867'; g.fillRect(s.x - 18, s.y - 26 * k, 36 * s.life / s.full, 5);
  }
  for (const s of shots) { g.strokeStyle = s.a.name === 'brause' ? '#8fd3ff' : '#fff8c0'; g.lineWidth = 4; g.beginPath(); g.moveTo(s.a.x, s.a.y); g.lineTo(s.b.x, s.b.y); g.stroke(); }
  guards.forEach(guard);
  if (on && mouse) {
    const reach = KINDS[document.querySelector('[name=wer]:checked').value].reach;
    g.strokeStyle = onPath(mouse.x, mouse.y) ? '#ff5a4d' : '#ffffffa0'; g.lineWidth = 2;
    g.beginPath(); g.arc(mouse.x, mouse.y, reach, 0, 7); g.stroke();
  }
}
let last;
function frame(now) {
  const dt = Math.min(0.05, (now - (last ?? now)) / 1000);
  last = now;
  if (on) step(dt);
  draw();
  requestAnimationFrame(frame);
}
salad = 8; coins = 90; wave = 0;
tell();
requestAnimationFrame(frame);
