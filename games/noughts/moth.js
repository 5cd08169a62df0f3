(function () {
  'use strict';
  var LINES = [[0,1,2],[3,4,5],[6,7,8],[0,3,6],[1,4,7],[2,5,8],[0,4,8],[2,4,6]];
  var LANTERN = '<svg class="in" viewBox="0 0 60 60"><circle cx="30" cy="34" r="24" fill="#ffc85733"/><path d="M22 14h16l-2-5H24z" fill="#8a5a12"/><path d="M19 16h22l4 26-6 8H21l-6-8z" fill="#ffb52e"/><path d="M30 24c7 8 7 14 0 20-7-6-7-12 0-20z" fill="#fff3c4"/><path d="M19 16l11 34 11-34" fill="none" stroke="#8a5a12" stroke-width="1.5"/></svg>';
  var MOTH = '<svg class="in" viewBox="0 0 60 60"><path d="M29 28C18 8 4 10 6 22c1 8 8 12 14 12-9 3-10 14-3 16 7 1 11-7 13-14z" fill="#b7a7f5"/><path d="M31 28C42 8 56 10 54 22c-1 8-8 12-14 12 9 3 10 14 3 16-7 1-11-7-13-14z" fill="#9c88ec"/><ellipse cx="30" cy="32" rx="3" ry="13" fill="#41336f"/><circle cx="15" cy="21" r="4" fill="#41336f"/><circle cx="45" cy="21" r="4" fill="#41336f"/><path d="M29 20c-2-6-5-8-8-9M31 20c2-6 5-8 8-9" stroke="#b7a7f5" fill="none" stroke-width="1.5"/></svg>';
  var $ = function (id) { return document.getElementById(id); };

  var seed = parseInt(new URLSearchParams(location.search).get('seed') || '7', 10) >>> 0;
  function random() {
    seed = (seed + 0x6D2B79F5) >>> 0;
    var t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  var grid, night, wins, lives, score, busy = true, cells = [];
  for (var i = 0; i < 9; i++) {
    var b = document.createElement('button');
    b.className = 'cell';
    b.disabled = true;
    b.setAttribute('aria-label', 'square ' + (i + 1));
    b.addEventListener('click', place.bind(null, i));
    $('board').appendChild(b);
    cells.push(b);
  }
  $('play').addEventListener('click', newGame);
  $('next').addEventListener('click', function () { lives > 0 && wins < 5 ? newNight() : newGame(); });

  function newGame() {
    night = 0; wins = 0; lives = 3; score = 0;
    $('intro').hidden = true; $('panel').hidden = false;
    newNight();
  }
  function newNight() {
    night++;
    grid = Array(9).fill('');
    cells.forEach(function (c) { c.className = 'cell'; c.innerHTML = ''; });
    $('next').hidden = true;
    if (night % 2 === 0) put(pick(free()), 'M');
    busy = false;
    say(night % 2 ? 'Hang a lantern.' : 'The moth was early. Your turn.');
    show();
  }
  function free() { return grid.map(function (v, i) { return v ? -1 : i; }).filter(function (i) { return i >= 0; }); }
  function pick(list) { return list[Math.floor(random() * list.length)]; }
  function put(i, who) { grid[i] = who; cells[i].innerHTML = who === 'L' ? LANTERN : MOTH; }
  function say(text) { $('status').textContent = text; }
  function show() {
    $('night').textContent = night; $('score').textContent = score; $('lives').textContent = lives;
    cells.forEach(function (c, i) { c.disabled = busy || !!grid[i]; });
  }
  function place(i) {
    if (busy || grid[i]) return;
    put(i, 'L');
    busy = true; show();
    if (ended()) return;
    say('The moth is thinking…');
    setTimeout(function () {
      put(reply(), 'M');
      busy = false;
      if (!ended()) { say('Hang a lantern.'); show(); }
    }, 380);
  }
  function finishing(who) {
    return free().find(function (i) {
      return LINES.some(function (l) { return l.includes(i) && l.every(function (k) { return k === i || grid[k] === who; }); });
    });
  }
  function reply() {
    var skill = Math.min(0.95, 0.25 + night * 0.14), win = finishing('M'), block = finishing('L');
    if (win !== undefined && random() < skill + 0.2) return win;
    if (block !== undefined && random() < skill) return block;
    if (!grid[4] && random() < skill) return 4;
    return pick(free());
  }
  function ended() {
    var line = LINES.find(function (l) { return grid[l[0]] && grid[l[0]] === grid[l[1]] && grid[l[0]] === grid[l[2]]; });
    if (!line && free().length) return false;
    busy = true;
    if (line) {
      var mine = grid[line[0]] === 'L';
      line.forEach(function (k) { cells[k].classList.add(mine ? 'win' : 'lost'); });
      if (mine) { wins++; score += 100 + 20 * night; } else lives--;
      say(mine ? 'Three lanterns! The street is bright.' : 'Three shadows. The lamp flickers.');
    } else { score += 20; say('A still night. Nobody wins.'); }
    if (wins >= 5) say('The village is lit! Final score ' + score + '.');
    if (lives <= 0) say('Game over: the lamps went out. Score ' + score + '.');
    $('next').textContent = lives > 0 && wins < 5 ? 'Next night' : 'Play again';
    $('next').hidden = false;
    show();
    return true;
  }
})();
