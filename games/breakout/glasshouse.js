const W = 980, H = 660, COLS = 11, PW = 80, PH = 40, LEFT = 50, TOP = 84;

export class Glasshouse {
  constructor(canvas, ctx, panes, seed) {
    this.canvas = canvas; this.c = ctx; this.panes = panes; this.seed = seed;
    this.keys = {}; this.mouse = null; this.best = 0; this.time = 0; this.shards = [];
    addEventListener('keydown', (e) => { this.keys[e.code] = true; });
    addEventListener('keyup', (e) => { this.keys[e.code] = false; });
    canvas.addEventListener('mousemove', (e) => { const r = canvas.getBoundingClientRect(); this.mouse = (e.clientX - r.left - 8) * W / (r.width - 16); });
    this.demo();
  }
  random() { this.s = Math.imul(this.s ^ (this.s >>> 16), 0x45d9f3b) + 0x3c6ef35f | 0; return ((this.s ^ (this.s >>> 15)) >>> 0) / 4294967296; }
  demo() { this.reset(); this.playing = false; this.serve(); }
  play() { this.reset(); this.playing = true; this.over = false; }
  reset() { this.s = this.seed * 7 + 3 | 0; this.level = 1; this.score = 0; this.balls = 3; this.x = W / 2; this.over = false; this.build(); this.rest(); }
  build() {
    this.wall = [];
    for (let r = 0; r < 4 + Math.min(3, this.level); r++) for (let q = 0; q < COLS; q++) if (this.random() > 0.12) this.wall.push({ x: LEFT + q * PW, y: TOP + r * PH, kind: r % 5 });
  }
  rest() { this.ball = { x: this.x, y: H - 58, vx: 0, vy: 0, held: true }; }
  serve() { const a = -Math.PI / 2 + (this.random() - 0.5) * 0.9, v = 380 + this.level * 35; Object.assign(this.ball, { held: false, vx: Math.cos(a) * v, vy: Math.sin(a) * v }); }

  input(dt) {
    const space = !!this.keys.Space, hit = space && !this.spaceWas;
    this.spaceWas = space;
    if (!this.playing) { if (hit) this.play(); else this.x += Math.max(-620 * dt, Math.min(620 * dt, this.ball.x + Math.sin(this.time * 3) * 34 - this.x)); return; }
    if (this.keys.ArrowLeft) { this.x -= 620 * dt; this.mouse = null; }
    if (this.keys.ArrowRight) { this.x += 620 * dt; this.mouse = null; }
    if (this.mouse !== null) this.x += (this.mouse - this.x) * Math.min(1, dt * 18);
    this.x = Math.max(66, Math.min(W - 66, this.x));
    if (hit && this.ball.held) this.serve();
  }
  step(dt) {
    this.time += dt; this.input(dt);
    for (const s of this.shards) { s.t -= dt; s.x += s.vx * dt; s.y += s.vy * dt; s.vy += 700 * dt; }
    this.shards = this.shards.filter((s) => s.t > 0);
    const b = this.ball;
    if (b.held) { b.x = this.x; return; }
    b.x += b.vx * dt; this.bounce('vx');
    b.y += b.vy * dt; this.bounce('vy');
    if (b.x < 12) { b.x = 12; b.vx = Math.abs(b.vx); } if (b.x > W - 12) { b.x = W - 12; b.vx = -Math.abs(b.vx); } if (b.y < 60) { b.y = 60; b.vy = Math.abs(b.vy); }
    if (b.vy > 0 && b.y > H - 52 && b.y < H - 30 && Math.abs(b.x - this.x) < 74) { const v = Math.hypot(b.vx, b.vy), a = -Math.PI / 2 + (b.x - this.x) / 74 * 1.05; b.vx = Math.cos(a) * v; b.vy = Math.sin(a) * v; b.y = H - 52; }
    if (b.y > H + 20) this.miss();
    if (!this.wall.length) { this.level++; this.build(); this.rest(); if (!this.playing) this.serve(); }
  }
  bounce(axis) {
    const b = this.ball, i = this.wall.findIndex((p) => b.x > p.x - 8 && b.x < p.x + PW + 8 && b.y > p.y - 8 && b.y < p.y + PH + 8);
    if (i < 0) return;
    const p = this.wall[i]; this.wall.splice(i, 1); b[axis] = -b[axis]; b.x += b.vx * 0.008; b.y += b.vy * 0.008;
    this.score += 10 * (5 - p.kind) * this.level;
    for (let n = 0; n < 9; n++) this.shards.push({ x: p.x + this.random() * PW, y: p.y + this.random() * PH, vx: (this.random() - 0.5) * 260, vy: -this.random() * 160, t: 0.7, kind: p.kind });
  }
  miss() {
    if (!this.playing) { this.demo(); return; }
    if (--this.balls > 0) { this.rest(); return; }
    this.best = Math.max(this.best, this.score); const last = this.score; this.demo(); this.last = last; this.over = true;
  }
  text(s, x, y, size, align, color = '#e8f1ec') { const c = this.c; c.font = `bold ${size}px "DejaVu Sans", Verdana, sans-serif`; c.textAlign = align; c.fillStyle = color; c.fillText(s, x, y); }
  draw() {
    const c = this.c, sky = c.createLinearGradient(0, 0, 0, H);
    sky.addColorStop(0, '#2f7a6b'); sky.addColorStop(1, '#163f37'); c.fillStyle = sky; c.fillRect(0, 0, W, H);
    c.strokeStyle = '#ffffff12'; c.lineWidth = 3; for (let i = 1; i < 7; i++) { c.beginPath(); c.moveTo(i * 140, 48); c.lineTo(i * 140, H); c.stroke(); }
    c.fillStyle = '#0e2d27'; for (let i = 0; i < 30; i++) { const x = i * 36, h = 30 + (i * 37 % 40); c.beginPath(); c.ellipse(x, H + 6, 16, h, Math.sin(this.time + i) * 0.06, 0, 7); c.fill(); }
    for (const p of this.wall) c.drawImage(this.panes, p.kind * PW, 0, PW, PH, p.x, p.y, PW, PH);
    for (const s of this.shards) { c.globalAlpha = s.t; c.drawImage(this.panes, s.kind * PW + 20, 10, 12, 12, s.x, s.y, 9, 9); } c.globalAlpha = 1;
    c.fillStyle = '#caa472'; c.beginPath(); c.roundRect(this.x - 70, H - 42, 140, 18, 9); c.fill(); c.fillStyle = '#8a6a42'; c.fillRect(this.x - 50, H - 26, 100, 4);
    c.fillStyle = '#f6f3d9'; c.beginPath(); c.arc(this.ball.x, this.ball.y, 10, 0, 7); c.fill();
    c.fillStyle = '#0e2d27'; c.fillRect(0, 0, W, 48);
    if (this.playing) { this.text(`SCORE ${this.score}`, 20, 32, 19, 'left'); this.text(`LEVEL ${this.level}`, W / 2, 32, 19, 'center'); this.text('●'.repeat(this.balls), W - 20, 32, 19, 'right'); if (this.ball.held) this.text('Space serves', W / 2, 470, 22, 'center'); }
    else {
      this.text('DEMO', 20, 32, 19, 'left', '#e9c46a'); this.text(`BEST ${this.best}`, W - 20, 32, 19, 'right');
      c.fillStyle = '#0e2d27cc'; c.beginPath(); c.roundRect(W / 2 - 260, 380, 520, 130, 20); c.fill();
      this.text(this.over ? `Game over: ${this.last}` : 'GLASSHOUSE', W / 2, 436, 44, 'center');
      if (Math.sin(this.time * 4) > -0.4) this.text('press SPACE to play', W / 2, 484, 22, 'center', '#e9c46a');
    }
  }
  run() {
    let last = performance.now();
    const frame = (now) => { this.step(Math.min(0.03, (now - last) / 1000)); last = now; this.draw(); requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
  }
}
