'use strict';
const $ = (s) => document.querySelector(s);
const seed = Number(new URLSearchParams(location.search).get('seed') || 14);
let state = (seed ^ 0x5bd1e995) >>> 0;
const random = (n) => {
  state = (Math.imul(state ^ (state >>> 13), 0x5bd1e995) + 0x3c6ef372) >>> 0;
  return (state >>> 8) % n;
};
function shuffled(list) {
  const a = [...list];
  for (let i = a.length - 1; i > 0; i--) { const j = random(i + 1); [a[i], a[j]] = [a[j], a[i]]; }
  return a;
}

// A full grid from a pattern: rows within a band, bands, columns within a stack and digits may all be exchanged.
function fullGrid() {
  const digits = shuffled([1, 2, 3, 4, 5, 6]);
  const rows = shuffled([0, 1, 2]).flatMap((band) => shuffled([0, 1]).map((r) => band * 2 + r));
  const columns = shuffled([0, 1]).flatMap((stack) => shuffled([0, 1, 2]).map((c) => stack * 3 + c));
  return rows.map((r) => columns.map((c) => digits[(3 * (r % 2) + Math.floor(r / 2) + c) % 6]));
}
// solutions counts the ways to fill the empty squares, and stops at two.
function solutions(grid, at = grid.indexOf(0)) {
  if (at < 0) return 1;
  const r = Math.floor(at / 6), c = at % 6, sees = (i) => {
    const y = Math.floor(i / 6), x = i % 6;
    return y === r || x === c || Math.floor(y / 2) === Math.floor(r / 2) && Math.floor(x / 3) === Math.floor(c / 3);
  };
  let found = 0;
  for (let d = 1; d <= 6 && found < 2; d++) {
    if (grid.some((v, i) => v === d && sees(i))) continue;
    grid[at] = d;
    found += solutions(grid);
    grid[at] = 0;
  }
  return found;
}
// A square is emptied only where that leaves one way to fill the grid.
function emptied(full) {
  const grid = full.flat(), empty = new Set();
  for (const i of shuffled([...grid.keys()])) {
    const digit = grid[i];
    grid[i] = 0;
    if (empty.size < 20 && solutions(grid) === 1) empty.add(i);
    else grid[i] = digit;
  }
  return empty;
}
let answer, cells, picked, faults, left, from;

function deal() {
  answer = fullGrid(); faults = 0; picked = null; from = performance.now();
  const empty = emptied(answer);
  left = empty.size; cells = [];
  const table = $('table');
  table.replaceChildren();
  answer.forEach((line, r) => {
    const row = table.insertRow();
    line.forEach((digit, c) => {
      const td = row.insertCell(), cell = { td, r, c, given: !empty.has(r * 6 + c), digit: 0 };
      if (cell.given) { td.className = 'given'; td.textContent = digit; cell.digit = digit; }
      td.onmousedown = () => pick(cell);
      cells.push(cell);
    });
  });
  $('#fautes').textContent = 0;
}
function pick(cell) {
  picked?.td.classList.remove('picked');
  picked = cell;
  cell.td.classList.add('picked');
}
function write(digit) {
  if (!picked || left === 0) return say('Choisis d’abord une case.');
  if (picked.given) return say('Cette case est imprimée.');
  const right = answer[picked.r][picked.c], before = picked.digit;
  if (before === digit) return;
  picked.digit = digit;
  picked.td.textContent = digit || '';
  picked.td.classList.toggle('mine', digit > 0);
  picked.td.classList.toggle('wrong', digit > 0 && digit !== right);
  if (before === right) left++;
  if (digit === right) { left--; say(left ? `Encore ${left} cases.` : `Bravo, ${$('#prenom').value} ! La grille est pleine.`); }
  else if (digit) { $('#fautes').textContent = ++faults; say('Hmm, pas celui-là.'); }
}
const say = (text) => { $('#mot').textContent = text; };

for (let d = 1; d <= 6; d++) {
  const b = document.createElement('button');
  b.textContent = d; b.onclick = () => write(d);
  $('.pad').append(b);
}
$('#gomme').onclick = () => write(0);
$('#accueil').onsubmit = (e) => {
  e.preventDefault();
  $('#accueil').hidden = true; $('#jeu').hidden = false;
  $('#qui').textContent = $('#prenom').value;
  document.activeElement.blur();
  deal();
};
document.onkeydown = (e) => {
  if ($('#jeu').hidden) return;
  if (e.key >= '1' && e.key <= '6') return write(Number(e.key));
  if (e.key === 'Backspace') return write(0);
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[e.key];
  if (!step) return;
  e.preventDefault();
  const r = ((picked?.r ?? 0) + step[0] + 6) % 6, c = ((picked?.c ?? 0) + step[1] + 6) % 6;
  pick(cells[r * 6 + c]);
};
setInterval(() => {
  if ($('#jeu').hidden || left === 0) return;
  const s = Math.floor((performance.now() - from) / 1000);
  $('#temps').textContent = `${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}`;
}, 250);
