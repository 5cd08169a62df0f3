(function () {
  'use strict';
  var view = document.getElementById('green'), out = view.getContext('2d'), W = 1120, H = 700;
  // Everything is painted here first and copied to the page in one piece.
  var back = document.createElement('canvas'); back.width = W; back.height = H;
  var g = back.getContext('2d');
  var seed = (+(new URLSearchParams(location.search).get('seed') || 23) || 23) >>> 0;
  function random() { seed = (seed + 0x9e3779b9) >>> 0; var z = Math.imul(seed ^ (seed >>> 16), 0x85ebca6b); z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35); return ((z ^ (z >>> 16)) >>> 0) / 4294967296; }
  var COURSES = [
    { name: 'MEADOW', green: '#7fbf6a', dark: '#73b25e', wall: '#8c5a34' },
    { name: 'DESERT', green: '#e3bd74', dark: '#d8b066', wall: '#9a4f32' },
    { name: 'GLACIER', green: '#bfe3ee', dark: '#afd8e6', wall: '#4f6f9a' }
  ];
  var FIELD = { x: 60, y: 90, w: 1000, h: 550 };
  var screen = 'menu', course, hole, ball, cup, walls, sand, strokes, total, aim = null, hover = null, sunk = 0, time = 0, best = [0, 0, 0], trail = [];
  var flowers = []; for (var i = 0; i < 90; i++) flowers.push([FIELD.x + random() * FIELD.w, FIELD.y + random() * FIELD.h, random()]);

  // The scene: whatever is on the screen is a sprite of it, painted in this order, and the topmost one that takes the
  // mouse gets it. Sprites have the shape of PixiJS's, and the stage stands where PixiJS's devtools look for one, so that a
  // tool that knows them sees more than pixels.
  function Sprite(label, bounds, paint) { this.label = label; this.bounds = bounds; this.paint = paint; this.children = []; }
  Sprite.prototype.visible = true;
  Sprite.prototype.eventMode = 'none';
  Sprite.prototype.getBounds = function () { var b = typeof this.bounds === 'function' ? this.bounds() : this.bounds; return { x: b.x, y: b.y, width: b.w, height: b.h }; };
  Sprite.prototype.holds = function (p) { var b = this.getBounds(); return p.x > b.x && p.x < b.x + b.width && p.y > b.y && p.y < b.y + b.height; };
  Sprite.prototype.draw = function () { if (!this.visible) return; if (this.paint) this.paint(); this.children.forEach(function (c) { c.draw(); }); };
  Sprite.prototype.under = function (p) {
    if (!this.visible) return null;
    for (var i = this.children.length - 1; i >= 0; i--) { var hit = this.children[i].under(p); if (hit) return hit; }
    return this.eventMode === 'static' && this.holds(p) ? this : null;
  };
  function Button(text, bounds, go, look) { Sprite.call(this, text.toLowerCase(), bounds, paintButton); this.text = text; this.press = go; this.look = look; this.eventMode = 'static'; }
  Button.prototype = Object.create(Sprite.prototype); Button.prototype.constructor = Button;
  function Ball() { Sprite.call(this, 'ball', function () { return around(ball, 11); }, paintBall); }
  Ball.prototype = Object.create(Sprite.prototype, { eventMode: { get: function () { return screen === 'play' && !sunk && Math.hypot(ball.vx, ball.vy) < 1 ? 'static' : 'none'; } } });
  Ball.prototype.constructor = Ball;
  Ball.prototype.holds = function (p) { return Math.hypot(p.x - ball.x, p.y - ball.y) < 46; }; // thumbs are thick
  Ball.prototype.press = function (p) { aim = p; };
  function around(c, r) { return { x: c.x - r, y: c.y - r, w: 2 * r, h: 2 * r }; }

  var ALL = { x: 0, y: 0, w: W, h: H };
  var links = new Sprite('links', ALL), menu = new Sprite('menu', ALL, paintMenu), courses = new Sprite('courses', ALL, paintCourses), result = new Sprite('result', ALL, paintResult);
  menu.children.push(new Button('PLAY', { x: W / 2 - 130, y: 400, w: 260, h: 74 }, function () { show('courses'); }));
  COURSES.forEach(function (c, i) { courses.children.push(new Button(c.name, { x: 130 + i * 300, y: 280, w: 260, h: 190 }, function () { start(i); }, c)); });
  result.children.push(new Button('MENU', { x: W / 2 - 130, y: 440, w: 260, h: 74 }, function () { show('menu'); }));
  var stage = new Sprite('stage', ALL, paintGround); stage.children = [links, menu, courses, result];
  window.__PIXI_APP__ = { stage: stage, canvas: view, screen: { width: W, height: H }, renderer: { width: W, height: H } };

  function show(name) { screen = name; links.visible = name === 'play' || name === 'over'; menu.visible = name === 'menu'; courses.visible = name === 'courses'; result.visible = name === 'over'; }
  show('menu');
  function start(i) { course = i; hole = 1; total = 0; show('play'); tee(); }
  function tee() {
    ball = { x: FIELD.x + 90, y: FIELD.y + 120 + random() * (FIELD.h - 240), vx: 0, vy: 0 };
    cup = { x: FIELD.x + FIELD.w - 110, y: FIELD.y + 80 + random() * (FIELD.h - 160) };
    walls = []; sand = []; strokes = 0; sunk = 0; trail = [];
    for (var k = 0; k < 2 + hole; k++) walls.push({ x: FIELD.x + 240 + k * (520 / (2 + hole)) + random() * 30, y: FIELD.y + random() * (FIELD.h - 220), w: 28, h: 140 + random() * 80 });
    for (k = 0; k < 2; k++) sand.push({ x: FIELD.x + 300 + random() * 460, y: FIELD.y + 80 + random() * (FIELD.h - 160), r: 44 + random() * 30 });
    links.children = sand.map(function (s) { return new Sprite('sand', around(s, s.r), function () { paintSand(s); }); })
      .concat(walls.map(function (w) { return new Sprite('wall', w, function () { paintWall(w); }); }),
        new Sprite('hole', { x: cup.x - 17, y: cup.y - 84, w: 63, h: 101 }, paintHole), new Ball(), new Sprite('score', { x: 60, y: 24, w: W - 120, h: 30 }, paintScore));
  }
  function spot(e) { var r = view.getBoundingClientRect(); return { x: (e.clientX - r.left) * W / r.width, y: (e.clientY - r.top) * H / r.height }; }
  view.addEventListener('mousedown', function (e) { var p = spot(e), hit = stage.under(p); if (hit) hit.press(p); });
  window.addEventListener('mousemove', function (e) { var p = spot(e); if (aim) aim = p; hover = stage.under(p); });
  window.addEventListener('mouseup', function () {
    if (!aim) return;
    var dx = ball.x - aim.x, dy = ball.y - aim.y, d = Math.hypot(dx, dy); aim = null;
    if (d < 12) return;
    var power = Math.min(d, 190) * 5.2; ball.vx = dx / d * power; ball.vy = dy / d * power; strokes++; total++;
  });
  window.addEventListener('keydown', function (e) { if (e.key === 'Escape' && screen !== 'menu') { show('menu'); aim = null; } });

  function step(dt) {
    time += dt;
    if (screen !== 'play') return;
    if (sunk) { sunk += dt; if (sunk > 1.4) { if (hole === 3 || total > 24) finish(); else { hole++; tee(); } } return; }
    var n = 4, h = dt / n;
    while (n--) {
      var inSand = sand.some(function (s) { return Math.hypot(ball.x - s.x, ball.y - s.y) < s.r; }), drag = Math.exp(-h * (inSand ? 4.5 : course === 2 ? 0.7 : 1.25));
      ball.vx *= drag; ball.vy *= drag; ball.x += ball.vx * h; ball.y += ball.vy * h;
      if (ball.x < FIELD.x + 12) { ball.x = FIELD.x + 12; ball.vx = Math.abs(ball.vx) * 0.8; } if (ball.x > FIELD.x + FIELD.w - 12) { ball.x = FIELD.x + FIELD.w - 12; ball.vx = -Math.abs(ball.vx) * 0.8; }
      if (ball.y < FIELD.y + 12) { ball.y = FIELD.y + 12; ball.vy = Math.abs(ball.vy) * 0.8; } if (ball.y > FIELD.y + FIELD.h - 12) { ball.y = FIELD.y + FIELD.h - 12; ball.vy = -Math.abs(ball.vy) * 0.8; }
      walls.forEach(function (w) {
        var cx = Math.max(w.x, Math.min(w.x + w.w, ball.x)), cy = Math.max(w.y, Math.min(w.y + w.h, ball.y)), dx = ball.x - cx, dy = ball.y - cy, d = Math.hypot(dx, dy);
        if (d > 0 && d < 12) { dx /= d; dy /= d; ball.x = cx + dx * 12; ball.y = cy + dy * 12; var v = ball.vx * dx + ball.vy * dy; if (v < 0) { ball.vx -= 1.8 * v * dx; ball.vy -= 1.8 * v * dy; } }
      });
      var c = Math.hypot(ball.x - cup.x, ball.y - cup.y), speed = Math.hypot(ball.vx, ball.vy);
      if (c < 30) { ball.vx += (cup.x - ball.x) * 9 * h; ball.vy += (cup.y - ball.y) * 9 * h; }
      if (c < 15 && speed < 420) { sunk = 0.01; ball.vx = ball.vy = 0; ball.x = cup.x; ball.y = cup.y; break; }
      if (speed < 14) ball.vx = ball.vy = 0;
    }
    if (ball.vx || ball.vy) { trail.push([ball.x, ball.y]); if (trail.length > 22) trail.shift(); } else { trail.length = 0; if (strokes >= 9) finish(); }
  }
  function finish() { show('over'); var s = score(); best[course] = Math.max(best[course], s); }
  function score() { return Math.max(0, hole * 100 - total * 15 + (sunk ? 150 : 0)); }
  function say(s, x, y, size, color, align) { g.font = 'bold ' + size + 'px "Trebuchet MS", "DejaVu Sans", sans-serif'; g.textAlign = align || 'center'; g.fillStyle = color; g.fillText(s, x, y); }
  function box(x, y, w, h, r, color) { g.fillStyle = color; g.beginPath(); g.roundRect(x, y, w, h, r); g.fill(); }
  function ground() { return COURSES[links.visible ? course : 0]; }
  function paintGround() {
    g.fillStyle = '#27402b'; g.fillRect(0, 0, W, H);
    var c = ground();
    box(FIELD.x - 22, FIELD.y - 22, FIELD.w + 44, FIELD.h + 44, 26, c.wall); box(FIELD.x, FIELD.y, FIELD.w, FIELD.h, 10, c.green);
    for (var k = 0; k < 10; k += 2) { g.fillStyle = c.dark; g.fillRect(FIELD.x + k * 100, FIELD.y, 100, FIELD.h); }
    flowers.forEach(function (f) { g.fillStyle = f[2] > 0.5 ? '#ffffff77' : '#ffe38a77'; g.fillRect(f[0], f[1], 4, 4); });
  }
  function paintSand(s) { g.fillStyle = '#f0dca6'; g.beginPath(); g.ellipse(s.x, s.y, s.r, s.r * 0.96, 0, 0, 7); g.fill(); g.strokeStyle = '#d8c084'; g.lineWidth = 3; g.stroke(); }
  function paintWall(w) { box(w.x + 5, w.y + 7, w.w, w.h, 8, '#0003'); box(w.x, w.y, w.w, w.h, 8, ground().wall); box(w.x + 4, w.y + 4, w.w - 8, 8, 4, '#ffffff33'); }
  function paintHole() {
    g.fillStyle = '#1d2b1a'; g.beginPath(); g.arc(cup.x, cup.y, 17, 0, 7); g.fill();
    g.strokeStyle = '#f7f3e3'; g.lineWidth = 5; g.beginPath(); g.moveTo(cup.x, cup.y); g.lineTo(cup.x, cup.y - 84); g.stroke();
    g.fillStyle = '#d9483b'; g.beginPath(); g.moveTo(cup.x, cup.y - 84); g.quadraticCurveTo(cup.x + 28, cup.y - 80 + Math.sin(time * 4) * 5, cup.x + 46, cup.y - 68); g.lineTo(cup.x, cup.y - 54); g.fill();
  }
  function paintBall() {
    trail.forEach(function (t, i) { g.fillStyle = 'rgba(255,255,255,' + i / 60 + ')'; g.beginPath(); g.arc(t[0], t[1], 9, 0, 7); g.fill(); });
    if (aim) { var dx = ball.x - aim.x, dy = ball.y - aim.y, d = Math.hypot(dx, dy) || 1, q = Math.min(d, 190); for (var i = 1; i < 9; i++) { g.fillStyle = 'hsl(' + (110 - q * 0.55) + ' 85% 50%)'; g.beginPath(); g.arc(ball.x + dx / d * q * i / 6, ball.y + dy / d * q * i / 6, 7 - i * 0.5, 0, 7); g.fill(); } }
    var r = sunk ? Math.max(0, 11 - sunk * 14) : 11; g.fillStyle = '#0004'; g.beginPath(); g.arc(ball.x + 3, ball.y + 5, r, 0, 7); g.fill(); g.fillStyle = '#fff'; g.beginPath(); g.arc(ball.x, ball.y, r, 0, 7); g.fill();
  }
  function paintScore() {
    say(ground().name + '  hole ' + hole + ' of 3', 60, 48, 24, '#f7f3e3', 'left'); say('strokes ' + strokes + ' of 9', W / 2, 48, 24, '#f7f3e3'); say('score ' + score(), W - 60, 48, 24, '#f7f3e3', 'right');
    if (strokes === 0 && !aim) say('pull back from the ball and let go', ball.x + 150, ball.y + 60, 18, '#ffffffcc');
    if (sunk) say(strokes === 1 ? 'HOLE IN ONE!' : 'IN!', cup.x, cup.y - 110 - sunk * 20, 40, '#fff');
  }
  function veil() { g.fillStyle = '#1d2b1ab0'; g.fillRect(0, 0, W, H); }
  function paintMenu() { veil(); say('POCKET LINKS', W / 2, 250, 92, '#f7e9a8'); say('crazy golf for a rainy afternoon', W / 2, 310, 24, '#e3efd8'); }
  function paintCourses() { veil(); say('choose a course', W / 2, 210, 48, '#f7e9a8'); }
  function paintResult() { veil(); say(sunk ? 'Course finished!' : 'Game over', W / 2, 270, 70, '#f7e9a8'); say('score ' + score() + ', best ' + best[course], W / 2, 340, 28, '#e3efd8'); }
  function paintButton() {
    var b = this.bounds, look = this.look, lit = hover === this; box(b.x, b.y + 6, b.w, b.h, 20, '#0006'); box(b.x, b.y - (lit ? 3 : 0), b.w, b.h, 20, look ? look.green : lit ? '#fff3c4' : '#f7e9a8');
    if (look) { box(b.x, b.y + b.h - 56, b.w, 56, 20, look.wall); say(this.text, b.x + b.w / 2, b.y + b.h - 18, 26, '#fff'); g.fillStyle = '#fff'; g.beginPath(); g.arc(b.x + b.w / 2, b.y + 66, 18, 0, 7); g.fill(); }
    else say(this.text, b.x + b.w / 2, b.y + b.h / 2 + 12, 34, '#27402b');
  }
  function draw() { stage.draw(); out.drawImage(back, 0, 0); }
  var last = performance.now();
  function frame(now) { step(Math.min(0.04, (now - last) / 1000)); last = now; draw(); requestAnimationFrame(frame); }
  requestAnimationFrame(frame);
})();
