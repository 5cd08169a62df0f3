// The whole game lives here, in a worker: the page only posts which way to turn.
'use strict';
const CELL = 12, COLS = 85, ROWS = 50, TOP = 36;
const STEP = [[0, -1], [1, 0], [0, 1], [-1, 0]];
let g, seed, state, specks, worm, dir, turns, leaf, brambles, score = 0, best = 0, level = 1, eaten, mode = 'title', clock = 0, wait = 0, crumbs = [];

function random() { state = (Math.imul(state ^ (state >>> 15), 2246822519) + 3266489917) >>> 0; return ((state ^ (state >>> 13)) >>> 0) / 4294967296; }
const cell = () => [Math.floor(random() * COLS), Math.floor(random() * ROWS)];
const same = (a, b) => a[0] === b[0] && a[1] === b[1];
const taken = (p) => worm.some((w) => same(w, p)) || brambles.some((w) => same(w, p));

function begin() {
  state = (seed * 2654435761 + 97) >>> 0;
  worm = Array.from({ length: 6 }, (_, i) => [40 - i, 20]);
  dir = 1; turns = []; brambles = []; score = 0; eaten = 0; level = 1; crumbs = []; mode = 'play';
  grow(14); drop();
}
function grow(n) { while (n > 0) { const p = cell(); if (!taken(p) && Math.abs(p[1] - worm[0][1]) > 3) { brambles.push(p); n--; } } }
function drop() { do leaf = cell(); while (taken(leaf)); }
function advance() {
  const want = turns.shift();
  if (want !== undefined && want !== (dir + 2) % 4) dir = want;
  const head = [(worm[0][0] + STEP[dir][0] + COLS) % COLS, (worm[0][1] + STEP[dir][1] + ROWS) % ROWS];
  if (taken(head)) { mode = 'over'; best = Math.max(best, score); return; }
  worm.unshift(head);
  if (Math.abs(head[0] - leaf[0]) <= 1 && Math.abs(head[1] - leaf[1]) <= 1) {
    score += 10 * level; eaten++;
    for (let i = 0; i < 10; i++) crumbs.push({ x: leaf[0] * CELL, y: leaf[1] * CELL, a: i * 0.63, t: 0.5 });
    worm.push(worm[worm.length - 1], worm[worm.length - 1]);
    if (eaten % 5 === 0) { level++; grow(8); }
    drop();
  } else worm.pop();
}
function text(s, x, y, size, color, align) { g.font = `bold ${size}px "DejaVu Sans Mono", Menlo, monospace`; g.textAlign = align; g.fillStyle = color; g.fillText(s, x, y); }
function draw() {
  g.fillStyle = '#3a2718'; g.fillRect(0, 0, 1020, 636);
  for (let i = 0; i < 9; i++) { g.fillStyle = i % 2 ? '#412c1b' : '#382516'; g.fillRect(0, TOP + i * 67, 1020, 67); }
  g.fillStyle = '#5a3e26'; for (const [x, y, r] of specks) g.fillRect(x, y, r, r);
  g.fillStyle = '#20160f'; g.fillRect(0, 0, 1020, TOP);
  text('LEAVES ' + score, 16, 24, 17, '#f2dca8', 'left'); text('LEVEL ' + level, 510, 24, 17, '#c9a46a', 'center'); text('BEST ' + best, 1004, 24, 17, '#c9a46a', 'right');
  g.save(); g.translate(0, TOP);
  if (mode !== 'title') {
    for (const [x, y] of brambles) { g.fillStyle = '#7d2b3d'; g.fillRect(x * CELL + 1, y * CELL + 1, 10, 10); g.fillStyle = '#c4506a'; g.fillRect(x * CELL + 4, y * CELL - 1, 3, 13); g.fillRect(x * CELL - 1, y * CELL + 4, 13, 3); }
    g.save(); g.translate(leaf[0] * CELL + 6, leaf[1] * CELL + 6); g.rotate(Math.sin(clock * 3) * 0.3); g.fillStyle = '#8ccf4d'; g.beginPath(); g.ellipse(0, 0, 11, 6, 0.7, 0, 7); g.fill(); g.strokeStyle = '#4f8a24'; g.beginPath(); g.moveTo(-8, -6); g.lineTo(8, 6); g.stroke(); g.restore();
    worm.forEach(([x, y], i) => { g.fillStyle = i === 0 ? '#ffb3a0' : i % 4 === 3 ? '#d9786c' : '#ee9383'; g.fillRect(x * CELL, y * CELL, CELL, CELL); });
    g.fillStyle = '#20160f'; g.fillRect(worm[0][0] * CELL + 3, worm[0][1] * CELL + 3, 3, 3); g.fillRect(worm[0][0] * CELL + 8, worm[0][1] * CELL + 3, 3, 3);
    for (const c of crumbs) { g.globalAlpha = c.t * 2; g.fillStyle = '#b6ea7a'; g.fillRect(c.x + Math.cos(c.a) * (0.5 - c.t) * 90, c.y + Math.sin(c.a) * (0.5 - c.t) * 90, 4, 4); }
    g.globalAlpha = 1;
  }
  g.restore();
  if (mode !== 'play') {
    g.fillStyle = '#20160fcc'; g.fillRect(0, 200, 1020, 230);
    text(mode === 'title' ? 'MULCH' : 'GAME OVER', 510, 290, 64, '#ffb3a0', 'center');
    text(mode === 'title' ? 'a worm, a bed, some leaves' : 'score ' + score, 510, 335, 18, '#f2dca8', 'center');
    if (Math.floor(clock * 2) % 2) text('PRESS S TO ' + (mode === 'title' ? 'START' : 'TRY AGAIN'), 510, 395, 24, '#8ccf4d', 'center');
  }
}
function frame(dt) {
  clock += dt;
  for (const c of crumbs) c.t -= dt;
  crumbs = crumbs.filter((c) => c.t > 0);
  if (mode === 'play') { wait -= dt; if (wait <= 0) { wait = Math.max(0.05, 0.12 - level * 0.006); advance(); } }
  draw();
}
onmessage = (e) => {
  const m = e.data;
  if (m.type === 'turn') {
    if (mode === 'play') { if (turns.length < 2) turns.push(m.to); }
    else if (m.start) begin();
    return;
  }
  seed = m.seed; state = seed >>> 0; g = m.canvas.getContext('2d');
  specks = Array.from({ length: 260 }, () => [random() * 1020, TOP + random() * 600, 1 + random() * 3]);
  let last = performance.now();
  const loop = (now) => { frame(Math.min(0.1, (now - last) / 1000)); last = now; requestAnimationFrame(loop); };
  requestAnimationFrame(loop);
};
