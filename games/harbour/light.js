(() => {
  'use strict';
  const $ = (id) => document.getElementById(id);
  const sea = $('sea'), c = sea.getContext('2d');
  const seed0 = Number(new URLSearchParams(location.search).get('seed') || 21) >>> 0;
  let seed = seed0;
  const random = () => { seed ^= seed << 13; seed >>>= 0; seed ^= seed >>> 17; seed ^= seed << 5; seed >>>= 0; return seed / 4294967296; };
  let w = 0, h = 0, lamp = { x: 0, y: 0 };
  const resize = () => { w = sea.width = innerWidth; h = sea.height = innerHeight; lamp = { x: w / 2, y: h - 70 }; };
  addEventListener('resize', resize); resize();

  let on = false, aim = -1.2, target = -1.2, ships = [], flares = [], saved = 0, lost = 0, hour = 1, wait = 0, time = 0, best = 0;
  const waves = Array.from({ length: 120 }, (_, i) => [(i * 0.618 * 997) % 1, i / 120]);

  function start() {
    seed = (seed0 || 21) >>> 0;
    for (let i = 0; i < 4; i++) random();
    ships = []; flares = []; saved = 0; lost = 0; hour = 1; wait = 0.5; time = 0; on = true;
    $('menu').hidden = true; hud();
  }
  function hud() { $('saved').textContent = `Ships home: ${saved}`; $('hour').textContent = `Hour ${hour}`; $('lost').textContent = `Wrecks: ${lost} of 3`; }
  function over() {
    on = false; best = Math.max(best, saved);
    $('title').textContent = 'Game over'; $('text').textContent = `${saved} ships came home, best ${best}. The rocks took three.`; $('go').textContent = 'Try again'; $('menu').hidden = false;
  }
  $('go').addEventListener('click', start);
  sea.addEventListener('pointermove', (e) => { target = Math.atan2(e.offsetY - lamp.y, e.offsetX - lamp.x); });
  sea.addEventListener('pointerdown', (e) => { if (on && flares.length < 2) flares.push({ x: e.offsetX, y: e.offsetY, t: 3 }); });

  function step(dt) {
    let d = target - aim; d = Math.atan2(Math.sin(d), Math.cos(d)); aim += d * Math.min(1, dt * 9);
    if (!on) return;
    time += dt; hour = 1 + Math.floor(time / 20); wait -= dt;
    if (wait <= 0) {
      wait = Math.max(1, 3.4 - hour * 0.35) * (0.7 + random() * 0.6);
      const a = -Math.PI * (0.12 + 0.76 * random()), r = Math.max(w, h) * 0.62;
      const x = Math.max(40, Math.min(w - 40, lamp.x + Math.cos(a) * r)), y = Math.max(-30, lamp.y + Math.sin(a) * r);
      ships.push({ x, y, a: Math.atan2(lamp.y - 20 - y, lamp.x - x), v: 46 + hour * 6 + random() * 18, lit: 0, safe: false, hue: random() });
    }
    for (const f of flares) f.t -= dt;
    flares = flares.filter((f) => f.t > 0);
    for (const s of ships) {
      const to = Math.atan2(s.y - lamp.y, s.x - lamp.x), off = Math.abs(Math.atan2(Math.sin(to - aim), Math.cos(to - aim)));
      const slow = flares.some((f) => Math.hypot(f.x - s.x, f.y - s.y) < 130) ? 0.3 : 1;
      s.bright = off < 0.13;
      if (s.bright && !s.safe) { s.lit += dt; if (s.lit > 0.9) { s.safe = true; saved++; hud(); } }
      if (s.safe) { s.turn = (s.turn || 0) + dt; s.a += dt * 1.6 * (s.x < lamp.x ? 1 : -1) * (s.turn < 1.6 ? 1 : 0); }
      s.x += Math.cos(s.a) * s.v * slow * dt; s.y += Math.sin(s.a) * s.v * slow * dt;
      if (!s.safe && Math.hypot(s.x - lamp.x, s.y - lamp.y) < 78) { s.gone = true; lost++; hud(); flares.push({ x: s.x, y: s.y, t: 0.6, wreck: true }); }
      if (s.safe && (s.x < -60 || s.x > w + 60 || s.y < -90 || s.turn > 9)) s.gone = true;
    }
    ships = ships.filter((s) => !s.gone);
    if (Math.floor(time * 2) !== Math.floor((time - dt) * 2)) hud();
    if (lost >= 3) over();
  }
  function draw(now) {
    const t = now / 1000, bg = c.createLinearGradient(0, 0, 0, h);
    bg.addColorStop(0, '#0d2333'); bg.addColorStop(1, '#14465a'); c.fillStyle = bg; c.fillRect(0, 0, w, h);
    c.strokeStyle = '#ffffff16'; c.lineWidth = 2;
    for (const [x, y] of waves) { const X = ((x + t * 0.008) % 1) * w, Y = y * h; c.beginPath(); c.moveTo(X, Y); c.quadraticCurveTo(X + 14, Y - 6 - Math.sin(t + x * 9) * 3, X + 28, Y); c.stroke(); }
    c.save(); c.globalCompositeOperation = 'lighter';
    const beam = c.createRadialGradient(lamp.x, lamp.y, 10, lamp.x, lamp.y, Math.max(w, h) * 0.8);
    beam.addColorStop(0, '#ffe9a8bb'); beam.addColorStop(1, '#ffe9a800'); c.fillStyle = beam;
    c.beginPath(); c.moveTo(lamp.x, lamp.y); c.arc(lamp.x, lamp.y, Math.max(w, h), aim - 0.13, aim + 0.13); c.fill(); c.restore();
    for (const f of flares) { c.fillStyle = f.wreck ? '#ff5b4766' : '#ff8a5c33'; c.beginPath(); c.arc(f.x, f.y, f.wreck ? 50 : 130 * Math.min(1, f.t), 0, 7); c.fill(); c.fillStyle = '#ffb08a'; c.beginPath(); c.arc(f.x, f.y - (3 - f.t) * 8, 6, 0, 7); c.fill(); }
    for (const s of ships) {
      c.save(); c.translate(s.x, s.y); c.rotate(s.a);
      c.fillStyle = s.bright ? '#f7e7c4' : '#3e5866'; c.beginPath(); c.moveTo(26, 0); c.lineTo(8, 11); c.lineTo(-22, 10); c.lineTo(-22, -10); c.lineTo(8, -11); c.fill();
      c.fillStyle = s.safe ? '#8be0a4' : s.bright ? '#d9534a' : '#29404c'; c.fillRect(-16, -6, 14, 12);
      c.restore();
      if (s.lit > 0 && !s.safe) { c.strokeStyle = '#ffe9a8'; c.lineWidth = 4; c.beginPath(); c.arc(s.x, s.y, 34, -1.57, -1.57 + 6.28 * s.lit / 0.9); c.stroke(); }
    }
    c.fillStyle = '#22313a'; c.beginPath(); c.ellipse(lamp.x, lamp.y + 44, 120, 62, 0, 0, 7); c.fill();
    c.fillStyle = '#31454f'; c.beginPath(); c.ellipse(lamp.x - 30, lamp.y + 46, 60, 40, 0.4, 0, 7); c.fill();
    c.fillStyle = '#f3ead2'; c.fillRect(lamp.x - 15, lamp.y, 30, 66); c.fillStyle = '#c8423a'; c.fillRect(lamp.x - 15, lamp.y + 14, 30, 13); c.fillRect(lamp.x - 15, lamp.y + 41, 30, 13);
    c.fillStyle = '#ffe9a8'; c.beginPath(); c.arc(lamp.x, lamp.y - 4, 13 + Math.sin(t * 4), 0, 7); c.fill(); c.fillStyle = '#c8423a'; c.beginPath(); c.moveTo(lamp.x - 20, lamp.y - 14); c.lineTo(lamp.x, lamp.y - 36); c.lineTo(lamp.x + 20, lamp.y - 14); c.fill();
  }
  let last = performance.now();
  const loop = (now) => { step(Math.min(0.05, (now - last) / 1000)); last = now; draw(now); requestAnimationFrame(loop); };
  requestAnimationFrame(loop);
})();
