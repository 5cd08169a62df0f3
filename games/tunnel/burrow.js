'use strict';
const canvas = document.getElementById('gl');
const gl = canvas.getContext('webgl', { antialias: true, alpha: false });
if (!gl) throw new Error('Neon Burrow needs WebGL');

const VERTEX = 'attribute vec2 p; attribute vec4 c; varying vec4 v; void main() { v = c; gl_Position = vec4(p, 0.0, 1.0); }';
const FRAGMENT = 'precision mediump float; varying vec4 v; void main() { gl_FragColor = v; }';
function shader(type, source) {
  const s = gl.createShader(type);
  gl.shaderSource(s, source); gl.compileShader(s);
  if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(s));
  return s;
}
const program = gl.createProgram();
gl.attachShader(program, shader(gl.VERTEX_SHADER, VERTEX));
gl.attachShader(program, shader(gl.FRAGMENT_SHADER, FRAGMENT));
gl.linkProgram(program); gl.useProgram(program);
gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
const pAt = gl.getAttribLocation(program, 'p'), cAt = gl.getAttribLocation(program, 'c');
gl.enableVertexAttribArray(pAt); gl.enableVertexAttribArray(cAt);
gl.vertexAttribPointer(pAt, 2, gl.FLOAT, false, 24, 0); gl.vertexAttribPointer(cAt, 4, gl.FLOAT, false, 24, 8);
gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);

let batch = [];
const ASPECT = canvas.width / canvas.height;
function tri(a, b, c, k) { for (const p of [a, b, c]) batch.push(p[0] / ASPECT, p[1], k[0], k[1], k[2], k[3]); }
function quad(a, b, c, d, k) { tri(a, b, c, k); tri(a, c, d, k); }
function flush() { gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(batch), gl.STREAM_DRAW); gl.drawArrays(gl.TRIANGLES, 0, batch.length / 6); batch = []; }

// Five rows of three bits per letter, each bit a quad.
const ROWS = { A: '25755', B: '65656', C: '34443', D: '65556', E: '74647', F: '74644', G: '34553', H: '55755', I: '72227', K: '55655', L: '44447', M: '57755', N: '65555', O: '25552', P: '65644', R: '65655', S: '34216', T: '72222', U: '55557', V: '55552', W: '55775', X: '55255', Y: '55222', 0: '75557', 1: '26227', 2: '61247', 3: '61216', 4: '55711', 5: '74616', 6: '34757', 7: '71244', 8: '75757', 9: '75716' };
function write(text, x, y, size, color, align = 0.5) {
  let at = x - (text.length * 4 - 1) * size * align;
  for (const ch of text) {
    const rows = ROWS[ch];
    if (rows) for (let r = 0; r < 5; r++) for (let b = 0; b < 3; b++) if (rows[r] >> (2 - b) & 1) { const X = at + b * size, Y = y - r * size; quad([X, Y], [X + size * 0.94, Y], [X + size * 0.94, Y - size * 0.94], [X, Y - size * 0.94], color); }
    at += size * 4;
  }
}

const SEED = Number(new URLSearchParams(location.search).get('seed') || 17);
let s = 0;
const random = () => { s = (s + 0x6d2b79f5) | 0; let t = Math.imul(s ^ (s >>> 15), s | 1); t ^= t + Math.imul(t ^ (t >>> 7), t | 61); return ((t ^ (t >>> 14)) >>> 0) / 4294967296; };

let mode = 'title', angle = 0, spin = 0, depth = 0, gates = [], score = 0, best = 0, level = 1, flash = 0, time = 0, paused = false;
const held = { ArrowLeft: false, ArrowRight: false };
function start() { s = SEED; mode = 'play'; angle = 0; spin = 0; depth = 0; gates = []; score = 0; level = 1; for (let z = 26; z < 130; z += 13) gate(z); }
function gate(z) { const last = gates.length ? gates[gates.length - 1].open : 4; gates.push({ z, open: (last + (random() < 0.5 ? 1 : 5) + Math.floor(random() * 2)) % 6, hue: random() }); }

canvas.addEventListener('dblclick', () => { if (mode !== 'play') start(); });
addEventListener('keydown', (e) => {
  if (e.key === 'ArrowLeft') held.ArrowLeft = true;
  else if (e.key === 'ArrowRight') held.ArrowRight = true;
});
addEventListener('keyup', (e) => {
  if (e.key === 'ArrowLeft') held.ArrowLeft = false;
  else if (e.key === 'ArrowRight') held.ArrowRight = false;
});
addEventListener('blur', () => { paused = true; });
addEventListener('focus', () => { paused = false; });

const SIDE = Math.PI / 3;
function step(dt) {
  time += dt; flash = Math.max(0, flash - dt * 2);
  if (mode !== 'play') { angle += dt * 0.3; depth += dt * 5; return; }
  const want = (held.ArrowRight ? 1 : 0) - (held.ArrowLeft ? 1 : 0);
  spin += (want * 3.1 - spin) * Math.min(1, dt * 9); angle += spin * dt;
  depth += (8.5 + level * 1.1) * dt;
  for (const q of gates) {
    if (!q.done && q.z - depth < 2.2) {
      q.done = true;
      // The ship hangs at the bottom; which side of the burrow is there now?
      const side = ((Math.round((-Math.PI / 2 - SIDE / 2 + angle) / SIDE) % 6) + 6) % 6;
      if (side === q.open) { score++; flash = 1; level = 1 + Math.floor(score / 5); } else { mode = 'over'; best = Math.max(best, score); }
    }
  }
  if (gates.length && gates[0].z < depth) { gates.shift(); gate(gates[gates.length - 1].z + 13); }
}
function ring(z, side, r = 1) { const k = r * 1.9 / Math.max(0.35, z), a = side * SIDE - angle; return [Math.cos(a) * k, Math.sin(a) * k]; }
function mix(h, light, alpha) { const f = (n) => light * (0.55 + 0.45 * Math.cos(6.28 * (h + n))); return [f(0), f(0.33), f(0.67), alpha]; }
function draw() {
  gl.clearColor(0.02, 0.024, 0.06, 1); gl.clear(gl.COLOR_BUFFER_BIT);
  const near = 1 - (depth % 1.6) / 1.6;
  for (let i = 16; i >= 0; i--) {
    const z0 = 0.5 + (i + near - 0.4) * 1.6, z1 = z0 + 1.5;
    if (z0 <= 0.1) continue;
    const fog = Math.max(0, 1 - z0 / 27);
    for (let k = 0; k < 6; k++) {
      const odd = (k + Math.floor(depth / 1.6) + i) % 2, hue = 0.28 + k * 0.012 + Math.sin(depth * 0.02) * 0.1;
      quad(ring(z0, k), ring(z0, k + 1), ring(z1, k + 1), ring(z1, k), mix(hue, (odd ? 0.42 : 0.26) * fog, 1));
      quad(ring(z1, k), ring(z1, k + 1), ring(z0 + 1.6, k + 1), ring(z0 + 1.6, k), [0.35, 0.95, 1, fog * 0.8]);
      quad(ring(z0, k - 0.012), ring(z0, k + 0.012), ring(z1, k + 0.012), ring(z1, k - 0.012), [1, 0.35, 0.8, fog]);
    }
  }
  if (mode !== 'title') for (let i = gates.length - 1; i >= 0; i--) {
    const q = gates[i], z = q.z - depth; if (z > 26 || z < 0.4) continue;
    const fog = Math.max(0.1, 1 - z / 26);
    for (let k = 0; k < 6; k++) if (k !== q.open) { quad(ring(z, k), ring(z, k + 1), ring(z, k + 1, 0.28), ring(z, k, 0.28), mix(0.85 + q.hue * 0.3, fog, 0.86)); quad(ring(z, k, 0.32), ring(z, k + 1, 0.32), ring(z, k + 1, 0.28), ring(z, k, 0.28), [1, 1, 1, fog]); }
  }
  if (mode === 'play') {
    const y = -0.7 + Math.sin(time * 6) * 0.008, tilt = spin * 0.03;
    tri([-0.11, y - 0.07 + tilt], [0, y + 0.09], [0, y - 0.03], [0.95, 0.97, 1, 1]); tri([0.11, y - 0.07 - tilt], [0, y + 0.09], [0, y - 0.03], [0.62, 0.7, 0.95, 1]);
    tri([-0.035, y - 0.05], [0.035, y - 0.05], [0, y - 0.14 - Math.sin(time * 30) * 0.03], [1, 0.7, 0.2, 0.9]);
    write(String(score), 0, 0.94, 0.035, [1, 1, 1, 0.7 + flash * 0.3]); write('LEVEL ' + level, -1.7, 0.94, 0.016, [0.8, 0.9, 1, 0.9], 0);
    if (paused) write('PAUSED', 0, 0.2, 0.06, [1, 1, 1, 1]);
  } else {
    quad([-2, 0.62], [2, 0.62], [2, -0.5], [-2, -0.5], [0.02, 0.02, 0.07, 0.72]);
    if (mode === 'title') { write('NEON BURROW', 0, 0.45, 0.062, [1, 0.85, 0.3, 1]); write('LEFT AND RIGHT ROLL THE SHIP', 0, 0, 0.019, [0.8, 0.9, 1, 1]); }
    else { write('GAME OVER', 0, 0.45, 0.062, [1, 0.45, 0.4, 1]); write('GATES ' + score + '  BEST ' + best, 0, 0, 0.026, [0.9, 0.95, 1, 1]); }
    if (Math.sin(time * 4) > -0.5) write('DOUBLE CLICK TO FALL', 0, -0.24, 0.025, [0.5, 1, 0.75, 1]);
  }
  flush();
}
let last = performance.now();
requestAnimationFrame(function loop(now) {
  const dt = Math.min(0.1, (now - last) / 1000); last = now;
  if (!paused || mode !== 'play') step(dt);
  draw(); requestAnimationFrame(loop);
});
