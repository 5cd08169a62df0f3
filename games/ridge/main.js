import { rng } from './rng.js';

const canvas = document.getElementById('view');
const ctx = canvas.getContext('2d');
const W = 960, H = 540, T = 45;
const seed = Number(new URLSearchParams(location.search).get('seed') ?? 3);

const pressed = new Set();
addEventListener('keydown', (e) => pressed.add(e.code));
addEventListener('keyup', (e) => pressed.delete(e.code));

class Fox {
  constructor(x, y) { this.x = x; this.y = y; this.vx = 0; this.vy = 0; this.face = 1; this.ground = false; this.coyote = 0; this.jumping = false; }
}

class Game {
  constructor(levels) { this.levels = levels; this.best = 0; this.restart(); }
  restart() { this.index = 0; this.score = 0; this.lives = 5; this.won = false; this.enter(); }
  enter() {
    const spec = this.levels[this.index];
    this.spec = spec;
    this.rows = spec.rows.map((r) => [...r]);
    this.width = this.rows[0].length * T;
    const random = rng(seed * 31 + this.index);
    this.hills = Array.from({ length: 40 }, () => ({ x: random() * this.width, r: 90 + random() * 150, d: random() < 0.5 ? 0.3 : 0.55 }));
    this.grass = Array.from({ length: 260 }, () => random());
    this.leaves = Array.from({ length: 26 }, () => ({ x: random() * W, y: random() * H, s: 20 + random() * 40, p: random() * 6 }));
    this.fox = new Fox(60, 300);
    this.cam = 0; this.banner = 2; this.time = 0; this.dust = [];
  }
  at(x, y) { const r = this.rows[Math.floor(y / T)]; return r ? r[Math.floor(x / T)] ?? '#' : '.'; }
  solid(x, y) { return this.at(x, y) === '#'; }

  poll() {
    // The keys are looked at here only, once a frame.
    let dir = 0, jump = false;
    if (pressed.has('ArrowLeft')) dir -= 1;
    if (pressed.has('KeyA')) dir -= 1;
    if (pressed.has('ArrowRight')) dir += 1;
    if (pressed.has('KeyD')) dir += 1;
    if (pressed.has('ArrowUp')) jump = true;
    if (pressed.has('KeyW')) jump = true;
    if (pressed.has('Space')) jump = true;
    if (pressed.has('KeyR') && !this.rHeld) this.restart();
    this.rHeld = pressed.has('KeyR');
    return { dir: Math.sign(dir), jump };
  }
  step(dt) {
    this.time += dt; this.banner -= dt;
    const { dir, jump } = this.poll(), f = this.fox;
    for (const l of this.leaves) { l.y += l.s * dt; l.x -= (30 + Math.sin(this.time * 2 + l.p) * 30) * dt; if (l.y > H) l.y = -10; if (l.x < -10) l.x = W + 10; }
    for (const d of this.dust) { d.t -= dt; d.x += d.vx * dt; d.y += d.vy * dt; }
    this.dust = this.dust.filter((d) => d.t > 0);
    if (this.won || this.lives <= 0) { if (jump && !f.jumping) this.restart(); f.jumping = jump; return; }
    f.vx += (dir * 270 - f.vx) * Math.min(1, dt * 11);
    if (dir) f.face = dir;
    f.coyote = f.ground ? 0.09 : f.coyote - dt;
    if (jump && !f.jumping && f.coyote > 0) { f.vy = -610; f.coyote = 0; this.puff(f.x, f.y + 18, 6); }
    if (!jump && f.vy < -220) f.vy = -220;
    f.jumping = jump;
    f.vy = Math.min(900, f.vy + 1500 * dt);
    f.x += f.vx * dt;
    for (const s of [-1, 1]) for (const q of [-14, 14]) if (this.solid(f.x + s * 16, f.y + q)) { f.x = s > 0 ? Math.floor((f.x + 16) / T) * T - 16.01 : (Math.floor((f.x - 16) / T) + 1) * T + 16.01; f.vx = 0; }
    f.x = Math.max(18, Math.min(this.width - 18, f.x));
    f.y += f.vy * dt; f.ground = false;
    for (const q of [-12, 12]) {
      if (f.vy >= 0 && this.solid(f.x + q, f.y + 19)) { if (f.vy > 420) this.puff(f.x, f.y + 18, 5); f.y = Math.floor((f.y + 19) / T) * T - 19; f.vy = 0; f.ground = true; }
      if (f.vy < 0 && this.solid(f.x + q, f.y - 18)) { f.vy = 0; }
    }
    const tile = this.at(f.x, f.y);
    if (tile === 'o') { this.rows[Math.floor(f.y / T)][Math.floor(f.x / T)] = '.'; this.score += 10; this.puff(f.x, f.y, 10, '#e0345a'); }
    if (tile === 'H') { this.score += 100; if (++this.index >= this.levels.length) { this.won = true; this.index--; } else this.enter(); }
    if (this.at(f.x, f.y + 10) === '^' || f.y > H + 60) this.hurt();
    this.cam += (Math.max(0, Math.min(this.width - W, f.x - W * 0.42)) - this.cam) * Math.min(1, dt * 6);
    this.best = Math.max(this.best, this.score);
  }
  hurt() { this.lives--; this.puff(this.fox.x, Math.min(H, this.fox.y), 16, '#fff'); this.fox = new Fox(60, 300); this.cam = 0; }
  puff(x, y, n, color = '#fff3') { for (let i = 0; i < n; i++) this.dust.push({ x, y, vx: Math.cos(i * 2.4) * 90, vy: Math.sin(i * 2.4) * 60 - 40, t: 0.45, color }); }

  draw() {
    const sky = ctx.createLinearGradient(0, 0, 0, H);
    this.spec.sky.forEach((c, i) => sky.addColorStop(i / 2, c));
    ctx.fillStyle = sky; ctx.fillRect(0, 0, W, H);
    ctx.fillStyle = '#fff6dd'; ctx.beginPath(); ctx.arc(740, 110 + Math.sin(this.time * 0.5) * 6, 46, 0, 7); ctx.fill();
    for (const d of [0.3, 0.55]) {
      ctx.fillStyle = d < 0.5 ? '#ffffff2e' : '#4a2a5a55';
      for (const h of this.hills) if (h.d === d) { ctx.beginPath(); ctx.arc(h.x - this.cam * d, H - 60, h.r, Math.PI, 0); ctx.fill(); }
    }
    ctx.save(); ctx.translate(-Math.round(this.cam), 0);
    const from = Math.floor(this.cam / T), to = from + W / T + 2;
    this.rows.forEach((row, y) => { for (let x = from; x < to && x < row.length; x++) this.tile(row[x], x, y, this.rows[y - 1]?.[x] !== '#'); });
    for (const d of this.dust) { ctx.globalAlpha = d.t * 2; ctx.fillStyle = d.color; ctx.beginPath(); ctx.arc(d.x, d.y, 4, 0, 7); ctx.fill(); }
    ctx.globalAlpha = 1;
    this.drawFox(); ctx.restore();
    ctx.fillStyle = '#ffffff88'; for (const l of this.leaves) ctx.fillRect(l.x, l.y, 4, 3);
    this.text(`${this.spec.name}`, 24, 34, 18, 'left'); this.text(`Berries ${this.score}`, W / 2, 34, 18, 'center'); this.text('♥'.repeat(Math.max(0, this.lives)), W - 24, 34, 20, 'right');
    if (this.won) this.screen('Home at last!', `${this.score} points. Jump to run again.`);
    else if (this.lives <= 0) this.screen('Game over', `${this.score} points. Jump to try again.`);
    else if (this.banner > 0) { ctx.globalAlpha = Math.min(1, this.banner); this.text(this.spec.name, W / 2, 180, 44, 'center'); this.text('arrows or WASD, Space jumps', W / 2, 222, 18, 'center'); ctx.globalAlpha = 1; }
  }
  screen(a, b) { ctx.fillStyle = '#1b1030aa'; ctx.fillRect(0, 0, W, H); this.text(a, W / 2, 230, 56, 'center'); this.text(b, W / 2, 285, 20, 'center'); }
  text(s, x, y, size, align) { ctx.font = `bold ${size}px Verdana, "DejaVu Sans", sans-serif`; ctx.textAlign = align; ctx.fillStyle = '#3b1c4488'; ctx.fillText(s, x + 2, y + 2); ctx.fillStyle = '#fffaf0'; ctx.fillText(s, x, y); }
  tile(c, x, y, top) {
    const X = x * T, Y = y * T;
    if (c === '#') {
      ctx.fillStyle = '#5b3550'; ctx.fillRect(X, Y, T + 0.5, T + 0.5);
      if (top) { ctx.fillStyle = '#7bb661'; ctx.fillRect(X, Y, T + 0.5, 11); ctx.fillStyle = '#94cf73'; for (let i = 0; i < 4; i++) { const h = 5 + this.grass[(x * 4 + i) % 260] * 8; ctx.fillRect(X + 4 + i * 11, Y - h + 4 , 3, h); } }
      else { ctx.fillStyle = '#6b4160'; ctx.fillRect(X + 6 + this.grass[(x * 7 + y) % 260] * 24, Y + 12, 8, 6); }
    } else if (c === '^') { ctx.fillStyle = '#48243c'; for (let i = 0; i < 3; i++) { ctx.beginPath(); ctx.moveTo(X + i * 15, Y + T); ctx.lineTo(X + 7.5 + i * 15, Y + 14); ctx.lineTo(X + 15 + i * 15, Y + T); ctx.fill(); } }
    else if (c === 'o') { const b = Math.sin(this.time * 4 + x) * 4; ctx.fillStyle = '#d6284f'; ctx.beginPath(); ctx.arc(X + 22, Y + 24 + b, 9, 0, 7); ctx.fill(); ctx.fillStyle = '#ff8fa8'; ctx.beginPath(); ctx.arc(X + 19, Y + 21 + b, 3, 0, 7); ctx.fill(); ctx.fillStyle = '#4f8f3d'; ctx.fillRect(X + 21, Y + 10 + b, 3, 7); }
    else if (c === 'H') { ctx.fillStyle = '#7a4b34'; ctx.beginPath(); ctx.arc(X + 22, Y + T, 40, Math.PI, 0); ctx.fill(); ctx.fillStyle = '#20101c'; ctx.beginPath(); ctx.arc(X + 22, Y + T, 22, Math.PI, 0); ctx.fill(); ctx.fillStyle = '#ffcf5c'; ctx.beginPath(); ctx.arc(X + 22, Y + 34, 6 + Math.sin(this.time * 5) * 2, 0, 7); ctx.fill(); }
  }
  drawFox() {
    const f = this.fox, run = Math.abs(f.vx) > 20 && f.ground ? Math.sin(this.time * 22) : 0;
    ctx.save(); ctx.translate(f.x, f.y); ctx.scale(f.face, 1);
    ctx.fillStyle = '#f29d4b'; ctx.beginPath(); ctx.ellipse(-22, -2 + Math.sin(this.time * 5) * 3, 14, 7, 0.5, 0, 7); ctx.fill();
    ctx.fillStyle = '#fff1dc'; ctx.beginPath(); ctx.arc(-32, -6 + Math.sin(this.time * 5) * 3, 5, 0, 7); ctx.fill();
    ctx.fillStyle = '#7a3d1f'; ctx.fillRect(-11 + run * 5, 9, 6, 10); ctx.fillRect(6 - run * 5, 9, 6, 10);
    ctx.fillStyle = '#f5a85a'; ctx.beginPath(); ctx.ellipse(0, 2, 18, 12, 0, 0, 7); ctx.fill();
    ctx.beginPath(); ctx.arc(14, -8, 12, 0, 7); ctx.fill();
    ctx.beginPath(); ctx.moveTo(5, -14); ctx.lineTo(4, -34); ctx.lineTo(14, -18); ctx.fill(); ctx.beginPath(); ctx.moveTo(15, -18); ctx.lineTo(22, -34); ctx.lineTo(24, -13); ctx.fill();
    ctx.fillStyle = '#fff1dc'; ctx.beginPath(); ctx.ellipse(19, -4, 7, 5, 0, 0, 7); ctx.fill();
    ctx.fillStyle = '#241018'; ctx.fillRect(15, -11, 4, Math.sin(this.time * 1.3) > 0.98 ? 1 : 5); ctx.beginPath(); ctx.arc(26, -5, 3, 0, 7); ctx.fill();
    ctx.restore();
  }
}

let game = null, dots = 0, failed = false;
fetch('levels.json').then((r) => { if (!r.ok) throw new Error(`levels.json: ${r.status}`); return r.json(); })
  .then((levels) => { game = new Game(levels); })
  .catch((err) => { failed = true; throw err; });

let last = performance.now();
function frame(now) {
  const dt = Math.min(0.033, (now - last) / 1000); last = now;
  if (game) { game.step(dt); game.draw(); }
  else {
    dots += dt;
    ctx.fillStyle = '#2b1b3d'; ctx.fillRect(0, 0, W, H);
    ctx.fillStyle = '#f5a85a'; ctx.font = 'bold 26px Verdana, "DejaVu Sans", sans-serif'; ctx.textAlign = 'center';
    ctx.fillText(failed ? 'Could not load the ridge.' : 'Loading' + '.'.repeat(1 + Math.floor(dots * 3) % 3), W / 2, H / 2);
  }
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
