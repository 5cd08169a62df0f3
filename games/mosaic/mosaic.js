'use strict';
// Fifteen tiles and a gap. A tile is dragged into the gap; the tiles between move along with it.
const canvas = document.getElementById('c'), g = canvas.getContext('2d');
const scale = Math.max(1, window.devicePixelRatio || 1);
canvas.width = 1280 * scale; canvas.height = 720 * scale;
const N = 4, TILE = 150, LEFT = 340, TOP = 60, GAP = N * N - 1;
const PLAY = { x: 640, y: 360, r: 74 };

const start = Number(new URLSearchParams(location.search).get('seed') || 8);
let state = start;
function next() {
  state = (state * 16807 + 11) % 2147483647;
  return state / 2147483647;
}
for (let i = 0; i < 5; i++) next();
const picture = paintPicture(N * TILE, next);

let board = Array.from({ length: N * N }, (_, i) => i), playing = false, solved = false, moves = 0, drag = null, hot = false;
const column = (i) => i % N, row = (i) => Math.floor(i / N);

// Moving whole rows and columns keeps the board solvable; the last two moves bring the gap home to its corner.
function shuffle() {
  for (let i = 0; i < 60; i++) {
    const gap = board.indexOf(GAP), across = i % 2 === 0, line = Math.floor(next() * N);
    slide(across ? row(gap) * N + line : line * N + column(gap));
  }
  slide(row(board.indexOf(GAP)) * N + N - 1);
  slide(GAP);
}
// slide moves the tile at i, and all between it and the gap, one place towards the gap.
function slide(i) {
  let gap = board.indexOf(GAP);
  const way = towards(i);
  if (!way) return false;
  while (gap !== i) { const from = gap - way; board[gap] = board[from]; gap = from; }
  board[i] = GAP;
  return true;
}
// towards is what to add to a place to come one nearer to the gap: 1, -1, N, -N, or 0 where no line leads there.
function towards(i) {
  const gap = board.indexOf(GAP);
  if (i === gap) return 0;
  if (row(i) === row(gap)) return Math.sign(gap - i);
  if (column(i) === column(gap)) return Math.sign(gap - i) * N;
  return 0;
}

function spot(e) { return { x: e.clientX, y: e.clientY }; }
function tileAt({ x, y }) {
  const i = Math.floor((x - LEFT) / TILE), j = Math.floor((y - TOP) / TILE);
  return i >= 0 && j >= 0 && i < N && j < N ? j * N + i : -1;
}
const onPlay = ({ x, y }) => Math.hypot(x - PLAY.x, y - PLAY.y) < PLAY.r;

canvas.addEventListener('mousedown', (e) => {
  const at = spot(e), i = tileAt(at);
  if (!playing) {
    if (onPlay(at)) { shuffle(); playing = true; solved = false; moves = 0; draw(); }
  } else if (i >= 0 && board[i] !== GAP) { drag = { i, from: at, way: towards(i), by: 0 }; draw(); }
});
window.addEventListener('mousemove', (e) => {
  const at = spot(e);
  if (drag) {
    const pull = Math.abs(drag.way) === 1 ? at.x - drag.from.x : at.y - drag.from.y;
    drag.by = drag.way ? Math.min(TILE, Math.max(0, pull * Math.sign(drag.way))) : 0;
    draw();
  } else if (!playing && hot !== onPlay(at)) { hot = !hot; draw(); }
});
window.addEventListener('mouseup', () => {
  if (!drag) return;
  if (drag.by > TILE * 0.35 && slide(drag.i)) {
    moves++;
    if (board.every((t, i) => t === i)) { playing = false; solved = true; }
  }
  drag = null;
  draw();
});

function tile(t, x, y) {
  g.save();
  g.beginPath(); g.roundRect(x + 2, y + 2, TILE - 4, TILE - 4, 12); g.clip();
  g.drawImage(picture, column(t) * TILE, row(t) * TILE, TILE, TILE, x, y, TILE, TILE);
  g.strokeStyle = '#ffffff66'; g.lineWidth = 5; g.stroke();
  g.restore();
}
function draw() {
  g.setTransform(scale, 0, 0, scale, 0, 0);
  g.fillStyle = '#e9e2d3'; g.fillRect(0, 0, 1280, 720);
  g.fillStyle = '#4a3d30'; g.beginPath(); g.roundRect(LEFT - 18, TOP - 18, N * TILE + 36, N * TILE + 36, 22); g.fill();
  g.fillStyle = '#2f2620'; g.fillRect(LEFT, TOP, N * TILE, N * TILE);
  const gap = board.indexOf(GAP);
  board.forEach((t, i) => {
    if (t === GAP && !solved) return;
    let x = LEFT + column(i) * TILE, y = TOP + row(i) * TILE;
    const moving = drag && drag.by > 0 && towards(i) === drag.way && (drag.way > 0 ? i >= drag.i && i < gap : i <= drag.i && i > gap);
    if (moving && Math.abs(drag.way) === 1) x += drag.by * Math.sign(drag.way);
    if (moving && Math.abs(drag.way) === N) y += drag.by * Math.sign(drag.way);
    tile(t, x, y);
    if (drag && drag.i === i) { g.strokeStyle = '#fff'; g.lineWidth = 4; g.strokeRect(x + 4, y + 4, TILE - 8, TILE - 8); }
  });
  // The picture as it should be, and a bead for every move.
  g.drawImage(picture, 60, 80, 200, 200); g.strokeStyle = '#4a3d30'; g.lineWidth = 6; g.strokeRect(60, 80, 200, 200);
  for (let i = 0; i < Math.min(moves, 140); i++) { g.fillStyle = i % 10 === 9 ? '#c2553a' : '#4a3d30'; g.beginPath(); g.arc(1020 + (i % 10) * 22, 90 + Math.floor(i / 10) * 26, 7, 0, 7); g.fill(); }
  if (playing) return;
  g.fillStyle = '#0005'; g.fillRect(LEFT, TOP, N * TILE, N * TILE);
  g.fillStyle = hot ? '#ffe0a3' : '#fff7e6'; g.beginPath(); g.arc(PLAY.x, PLAY.y, PLAY.r, 0, 7); g.fill();
  g.fillStyle = '#4a3d30'; g.font = '64px "DejaVu Sans", sans-serif'; g.textAlign = 'center'; g.textBaseline = 'middle';
  g.fillText(solved ? '↻' : '▶', PLAY.x + (solved ? 0 : 5), PLAY.y + 4);
}
draw();
