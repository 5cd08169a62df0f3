var cv = document.getElementById('c'), x = cv.getContext('2d'), W = 660, H = 450;
var SEED = parseInt(new URL(location.href).searchParams.get('seed') || '31', 10), rs = 1;
function rnd() { rs = (rs * 69069 + 5) % 4294967296; return rs / 4294967296; }
var state = 'title', hog, peas, stings, wasps, dir, wave, score, best = 0, lives, cool, t = 0, apples = [], puffs = [], left = false, right = false, shoot = false;
for (var i = 0; i < 9; i++) apples.push({ x: 40 + i * 73, ok: true });

function begin() { rs = SEED + 17; rnd(); state = 'play'; score = 0; lives = 3; wave = 0; hog = W / 2; peas = []; stings = []; puffs = []; apples.forEach(function (a) { a.ok = true; }); nextWave(); }
function nextWave() { wave++; dir = 1; cool = 0; wasps = []; for (var r = 0; r < 4; r++) for (var c = 0; c < 9; c++) wasps.push({ x: 70 + c * 52, y: 52 + r * 34 + wave * 8, k: r % 2, p: rnd() * 6 }); }
cv.addEventListener('mousedown', function () { window.focus(); if (state === 'title' || state === 'over') begin(); });
window.onkeydown = function (e) {
  var k = e.keyCode;
  if (k === 37) { left = true; e.preventDefault(); }
  else if (k === 39) { right = true; e.preventDefault(); }
  else if (k === 32) { shoot = true; e.preventDefault(); }
  else if (k === 80) { if (state === 'play') state = 'pause'; else if (state === 'pause') state = 'play'; }
};
window.onkeyup = function (e) { var k = e.keyCode; if (k === 37) left = false; else if (k === 39) right = false; else if (k === 32) shoot = false; };
window.onblur = function () { left = right = shoot = false; if (state === 'play') state = 'pause'; };

function puff(px, py, color) { for (var i = 0; i < 10; i++) puffs.push({ x: px, y: py, a: i * 0.63, t: 0.4, c: color }); }
function step(d) {
  t += d; puffs.forEach(function (p) { p.t -= d; }); puffs = puffs.filter(function (p) { return p.t > 0; });
  if (state !== 'play') return;
  if (left) hog -= 260 * d; if (right) hog += 260 * d; hog = Math.max(24, Math.min(W - 24, hog));
  cool -= d; if (shoot && cool <= 0) { peas.push({ x: hog, y: H - 62 }); cool = 0.32; }
  peas.forEach(function (p) { p.y -= 380 * d; }); stings.forEach(function (p) { p.y += 150 * d; });
  var speed = (16 + wave * 6 + (36 - wasps.length) * 1.6) * d, turn = false;
  wasps.forEach(function (w) { w.x += dir * speed; if (w.x < 22 || w.x > W - 22) turn = true; });
  if (turn) { dir = -dir; wasps.forEach(function (w) { w.y += 12; w.x += dir * 3; }); }
  wasps.forEach(function (w) { peas.forEach(function (p) { if (!w.dead && !p.dead && Math.abs(p.x - w.x) < 16 && Math.abs(p.y - w.y) < 13) { w.dead = p.dead = true; score += 10 + w.k * 5; puff(w.x, w.y, '#ffd84a'); } }); });
  if (wasps.length && rnd() < d * (0.7 + wave * 0.25)) { var w = wasps[Math.floor(rnd() * wasps.length)]; stings.push({ x: w.x, y: w.y + 10 }); }
  stings.forEach(function (s) {
    if (Math.abs(s.x - hog) < 20 && s.y > H - 66 && s.y < H - 34) { s.dead = true; lives--; puff(hog, H - 50, '#ff7a5c'); }
    else if (s.y > H - 30) { s.dead = true; apples.forEach(function (a) { if (a.ok && Math.abs(a.x - s.x) < 20) { a.ok = false; puff(a.x, H - 16, '#d8362a'); } }); }
  });
  function live(o) { return !o.dead && o.y > -10; }
  wasps = wasps.filter(live); peas = peas.filter(live); stings = stings.filter(live);
  if (!wasps.length) { score += 100; nextWave(); }
  if (lives <= 0 || wasps.some(function (w) { return w.y > H - 84; }) || !apples.some(function (a) { return a.ok; })) { state = 'over'; best = Math.max(best, score); }
}
function say(s, px, py, size, color, al) { x.font = 'bold ' + size + 'px Verdana, "DejaVu Sans", sans-serif'; x.textAlign = al || 'center'; x.fillStyle = color; x.fillText(s, px, py); }
function draw() {
  var g = x.createLinearGradient(0, 0, 0, H); g.addColorStop(0, '#22405a'); g.addColorStop(0.7, '#6e9a8a'); g.addColorStop(1, '#8db06a'); x.fillStyle = g; x.fillRect(0, 0, W, H);
  x.fillStyle = '#ffffff22'; for (var i = 0; i < 5; i++) { x.beginPath(); x.ellipse((i * 170 + t * 7) % 800 - 70, 60 + i * 31, 60, 13, 0, 0, 7); x.fill(); }
  x.fillStyle = '#4f6f35'; x.fillRect(0, H - 34, W, 34);
  apples.forEach(function (a) { x.fillStyle = a.ok ? '#d8362a' : '#6b4a2a'; x.beginPath(); x.arc(a.x, H - 15, a.ok ? 10 : 5, 0, 7); x.fill(); if (a.ok) { x.fillStyle = '#7ec850'; x.fillRect(a.x, H - 30, 7, 4); } });
  if (state !== 'title') {
    wasps.forEach(function (w) { var f = Math.sin(t * 22 + w.p) * 5; x.fillStyle = '#ffffff99'; x.beginPath(); x.ellipse(w.x - 5, w.y - 8 + f * 0.3, 5, 9, -0.6, 0, 7); x.ellipse(w.x + 5, w.y - 8 - f * 0.3, 5, 9, 0.6, 0, 7); x.fill(); x.fillStyle = w.k ? '#ff9f3a' : '#ffd23a'; x.beginPath(); x.ellipse(w.x, w.y, 14, 9, 0, 0, 7); x.fill(); x.fillStyle = '#2b2014'; x.fillRect(w.x - 5, w.y - 8, 4, 16); x.fillRect(w.x + 3, w.y - 8, 4, 16); x.fillRect(w.x - 12, w.y - 3, 3, 3); });
    x.fillStyle = '#bdf07a'; peas.forEach(function (p) { x.beginPath(); x.arc(p.x, p.y, 5, 0, 7); x.fill(); }); x.fillStyle = '#ff5b4a'; stings.forEach(function (s) { x.fillRect(s.x - 2, s.y - 6, 4, 12); });
    x.fillStyle = '#5b4330'; for (i = 0; i < 9; i++) { x.beginPath(); x.moveTo(hog - 22 + i * 5, H - 38); x.lineTo(hog - 24 + i * 5.6, H - 64 - (i % 2) * 4); x.lineTo(hog - 14 + i * 5, H - 42); x.fill(); }
    x.fillStyle = '#8a6a4c'; x.beginPath(); x.ellipse(hog, H - 40, 22, 12, 0, Math.PI, 0); x.fill(); x.fillStyle = '#3f7a3a'; x.fillRect(hog - 3, H - 74, 6, 20); x.fillStyle = '#1c1410'; x.fillRect(hog + 12, H - 47, 4, 4);
    puffs.forEach(function (p) { x.globalAlpha = p.t * 2.5; x.fillStyle = p.c; x.fillRect(p.x + Math.cos(p.a) * (0.4 - p.t) * 90, p.y + Math.sin(p.a) * (0.4 - p.t) * 90, 5, 5); }); x.globalAlpha = 1;
    say('SCORE ' + score, 14, 24, 16, '#fff', 'left'); say('WAVE ' + wave, W / 2, 24, 16, '#fff'); say('♥♥♥'.slice(0, Math.max(0, lives)), W - 14, 24, 18, '#ff9a8a', 'right');
  }
  if (state !== 'play') {
    x.fillStyle = '#14241acc'; x.fillRect(0, 130, W, 170);
    say(state === 'title' ? 'ORCHARD PATROL' : state === 'pause' ? 'PAUSED' : 'GAME OVER', W / 2, 198, 46, '#ffd23a');
    say(state === 'title' ? 'save the apples from the wasps' : state === 'pause' ? 'P goes on' : score + ' points, best ' + best, W / 2, 236, 16, '#e6f0d8');
    if (state !== 'pause') say(state === 'title' ? 'CLICK TO START' : 'CLICK TO PLAY AGAIN', W / 2, 276, 20, '#bdf07a');
  }
}
var before = performance.now();
function tick(now) { step(Math.min(0.05, (now - before) / 1000)); before = now; draw(); requestAnimationFrame(tick); }
requestAnimationFrame(tick);
