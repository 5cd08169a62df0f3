'use strict';
const ART = [
  '<path d="M30 16c8-10 18-6 16 4M30 16c-8-10-18-6-16 4" stroke="#4c8a3c" stroke-width="5" fill="none"/><path d="M18 20h24L30 56z" fill="#ef7f2d"/>',
  '<circle cx="30" cy="36" r="19" fill="#d93f3a"/><path d="M30 18l-9-7M30 18l9-7M30 18v-9" stroke="#4c8a3c" stroke-width="5"/>',
  '<circle cx="30" cy="34" r="20" fill="#7fb24e"/><path d="M30 16v36M14 26c10 4 10 14 8 24M46 26c-10 4-10 14-8 24" stroke="#4f7f2c" stroke-width="3" fill="none"/>',
  '<path d="M30 54c-16 0-20-20-8-26 3-8 3-12 0-18 14 4 20 10 20 18 8 10 4 26-12 26z" fill="#7b4a9e"/><path d="M24 12l-6-6" stroke="#4c8a3c" stroke-width="5"/>'
];
const NAMES = ['Möhre', 'Tomate', 'Kohl', 'Aubergine'];
const $ = (id) => document.getElementById(id);

let seed = Number(new URLSearchParams(location.search).get('seed') || 16) * 101 + 7;
const zufall = () => { seed = (seed * 16807) % 2147483647; return (seed - 1) / 2147483646; };
let level = 1, score = 0, moves = 0, piles, history = [], held = null;

// Piles 0 to 3 are the beds, 4 is the basket, the rest are rows.
function deal() {
  const top = 4 + level, deck = [];
  for (let s = 0; s < 4; s++) for (let r = 1; r <= top; r++) deck.push({ s, r });
  for (let i = deck.length - 1; i > 0; i--) { const j = Math.floor(zufall() * (i + 1)); [deck[i], deck[j]] = [deck[j], deck[i]]; }
  piles = [[], [], [], [], []]; for (let i = 0; i < 6; i++) piles.push([]);
  deck.forEach((c, i) => piles[5 + i % 6].push(c));
  moves = 0; history = []; $('intro').hidden = true; draw();
}
function legal(from, to) {
  const c = piles[from].at(-1), top = piles[to].at(-1);
  if (!c || from === to || from < 4) return false;
  if (to < 4) return c.s === to && c.r === (top ? top.r + 1 : 1);
  return !top || (to > 4 && top.r === c.r + 1);
}
function move(from, to) {
  if (!legal(from, to)) return;
  history.push(JSON.stringify({ piles, score }));
  piles[to].push(piles[from].pop()); moves++; score += to < 4 ? 10 : 0;
  draw();
  if (piles.slice(4).every((p) => !p.length)) finish('Geerntet!', `Alle Beete sind voll. ${score} Punkte.`, 'Nächste Stufe', () => { level = level < 3 ? level + 1 : 1; deal(); });
  else if (!piles.some((_, f) => f > 3 && piles.some((_, t) => legal(f, t)))) finish('Spiel vorbei', `Kein Zug mehr möglich. ${score} Punkte.`, 'Neu geben', () => { level = 1; score = 0; deal(); });
}
function finish(head, text, label, then) { $('head').textContent = head; $('text').textContent = text; $('deal').textContent = label; $('deal').onclick = then; $('intro').hidden = false; }
$('deal').onclick = deal;
$('again').addEventListener('click', () => { score = 0; deal(); });
$('undo').addEventListener('click', () => { const h = history.pop(); if (h) { ({ piles, score } = JSON.parse(h)); moves--; draw(); } });

function draw() {
  $('level').textContent = level; $('score').textContent = score; $('moves').textContent = moves;
  $('top').textContent = ''; $('rows').textContent = '';
  piles.forEach((pile, n) => {
    const place = document.createElement('div');
    place.className = n > 4 ? 'place column' : 'place'; place.dataset.n = n;
    if (n < 4) place.innerHTML = `<svg viewBox="0 0 60 60" width="56" opacity=".35">${ART[n]}</svg>`; else if (n === 4) place.textContent = 'Korb';
    if (n === 4) place.style.fontSize = '18px';
    pile.forEach((c, i) => {
      if (n < 4 && i < pile.length - 1) return;
      const el = document.createElement('div');
      el.className = 'card'; el.style.top = n > 4 ? `${i * 34}px` : '-2px'; el.innerHTML = `${c.r}<i><svg viewBox="0 0 60 60">${ART[c.s]}</svg></i>`; el.title = `${NAMES[c.s]} ${c.r}`;
      if (i === pile.length - 1 && n > 3) { el.draggable = true; el.addEventListener('dragstart', (e) => { held = n; e.dataTransfer.setData('text/plain', el.title); e.dataTransfer.effectAllowed = 'move'; setTimeout(() => el.classList.add('lift')); }); el.addEventListener('dragend', () => { held = null; el.classList.remove('lift'); document.querySelectorAll('.ok').forEach((o) => o.classList.remove('ok')); }); }
      place.append(el);
    });
    const welcome = (e) => { if (held !== null && legal(held, n)) { e.preventDefault(); place.classList.add('ok'); } };
    place.addEventListener('dragenter', welcome);
    place.addEventListener('dragover', welcome);
    place.addEventListener('dragleave', () => place.classList.remove('ok'));
    place.addEventListener('drop', (e) => { e.preventDefault(); const from = held; held = null; if (from !== null) move(from, n); });
    if (n === 4) { const gap = document.createElement('div'); gap.className = 'gap'; $('top').append(gap); }
    $(n > 4 ? 'rows' : 'top').append(place);
  });
}
