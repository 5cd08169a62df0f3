import { dig } from './maze.js';

const canvas = document.querySelector('canvas'), gl = canvas.getContext('webgl', { antialias: true });
const N = 6, SIZE = 2 * N + 1, BURNS = 150;
const seed = Number(new URLSearchParams(location.search).get('seed') || 13);

const program = gl.createProgram();
for (const [type, text] of [
  [gl.VERTEX_SHADER, `
    attribute vec3 at; attribute vec3 paint; uniform vec3 eye; uniform vec2 turn; varying vec3 colour; varying vec3 from; varying vec3 world;
    void main() {
      vec3 p = at - eye;
      vec3 v = vec3(p.x * turn.x - p.z * turn.y, p.y, p.x * turn.y + p.z * turn.x);
      colour = paint; from = p; world = at;
      gl_Position = vec4(v.x * 0.75, v.y * 1.333, v.z - 0.1, v.z);
    }`],
  [gl.FRAGMENT_SHADER, `
    precision mediump float; uniform float glow; varying vec3 colour; varying vec3 from; varying vec3 world;
    void main() {
      // Courses of brick, every other one shifted by half a brick.
      float height = world.y * 4.98 + 0.01, course = floor(height), run = (world.x + world.z) * 3.0 + mod(course, 2.0) * 0.5;
      float joint = step(0.92, fract(height)) + step(0.94, fract(run));
      float brick = colour.r > 0.9 ? 0.0 : min(1.0, joint);
      float light = glow / (1.0 + dot(from, from) * 0.42);
      gl_FragColor = vec4(colour * (1.0 - 0.45 * brick) * light, 1.0);
    }`],
]) {
  const shader = gl.createShader(type);
  gl.shaderSource(shader, text.trim());
  gl.compileShader(shader);
  gl.attachShader(program, shader);
}
gl.linkProgram(program);
gl.useProgram(program);
gl.enable(gl.DEPTH_TEST);
const uniform = (name) => gl.getUniformLocation(program, name);
const at = { eye: uniform('eye'), turn: uniform('turn'), glow: uniform('glow') };
gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
['at', 'paint'].forEach((name, i) => {
  const place = gl.getAttribLocation(program, name);
  gl.enableVertexAttribArray(place);
  gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 24, i * 12);
});

let mesh = [];
function quad(a, b, c, d, colour) { for (const p of [a, b, c, a, c, d]) mesh.push(...p, ...colour); }
function build() {
  mesh = [];
  quad([0, 0, 0], [SIZE, 0, 0], [SIZE, 0, SIZE], [0, 0, SIZE], [0.34, 0.27, 0.22]);
  quad([0, 1, 0], [SIZE, 1, 0], [SIZE, 1, SIZE], [0, 1, SIZE], [0.22, 0.18, 0.17]);
  for (let z = 0; z < SIZE; z++) for (let x = 0; x < SIZE; x++) {
    if (wall[z][x]) continue;
    const tone = ((x * 7 + z * 13) % 5) * 0.01;
    if (wall[z][x - 1]) quad([x, 0, z], [x, 0, z + 1], [x, 1, z + 1], [x, 1, z], [0.62 + tone, 0.4, 0.3]);
    if (wall[z][x + 1]) quad([x + 1, 0, z], [x + 1, 0, z + 1], [x + 1, 1, z + 1], [x + 1, 1, z], [0.6 + tone, 0.38, 0.3]);
    if (wall[z - 1][x]) quad([x, 0, z], [x + 1, 0, z], [x + 1, 1, z], [x, 1, z], [0.52, 0.36 + tone, 0.32]);
    if (wall[z + 1][x]) quad([x, 0, z + 1], [x + 1, 0, z + 1], [x + 1, 1, z + 1], [x, 1, z + 1], [0.5, 0.35 + tone, 0.32]);
  }
}
// A cheese is a turning wedge; its red is above 0.9 to keep the bricks off it.
function wedges(time) {
  const solid = mesh.length;
  for (const { x, z } of cheeses) {
    const p = (k, y) => [x + Math.cos(time + k * 2.1) * 0.22, y + 0.05 * Math.sin(time * 2), z + Math.sin(time + k * 2.1) * 0.22];
    for (let k = 0; k < 3; k++) quad(p(k, 0.25), p(k + 1, 0.25), p(k + 1, 0.5), p(k, 0.5), [1, 0.76 - k * 0.1, 0.22]);
    quad(p(0, 0.5), p(1, 0.5), p(2, 0.5), p(0, 0.5), [1, 0.84, 0.4]);
  }
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(mesh), gl.DYNAMIC_DRAW);
  gl.drawArrays(gl.TRIANGLES, 0, mesh.length / 6);
  mesh.length = solid;
}

let wall, cheeses, eye, angle, burnt, walking = false, held = new Set();
function reset() {
  let s = (seed * 2246822519 + 3266489917) >>> 0;
  const random = () => { s = (s + 0x9e3779b9) >>> 0; let t = Math.imul(s ^ (s >>> 16), 0x21f0aaad); t = Math.imul(t ^ (t >>> 15), 0x735a2d97); return ((t ^ (t >>> 15)) >>> 0) / 4294967296; };
  wall = dig(N, random);
  cheeses = [[N - 1, 0], [0, N - 1], [N - 1, N - 1], [Math.floor(N / 2), Math.floor(N / 2)]].map(([x, z]) => ({ x: 2 * x + 1.5, z: 2 * z + 1.5 }));
  // Look down an open passage rather than at a wall.
  eye = { x: 1.5, z: 1.5 }; angle = wall[1][2] ? 0 : Math.PI / 2; burnt = 0;
  build();
}
const DOES = { ArrowUp: 'on', KeyW: 'on', ArrowDown: 'back', KeyS: 'back', ArrowLeft: 'left', KeyA: 'left', ArrowRight: 'right', KeyD: 'right' };
addEventListener('keydown', (e) => {
  if (!walking) { if (!e.repeat) { reset(); walking = true; held.clear(); document.getElementById('title').hidden = true; } return; }
  if (DOES[e.code]) { held.add(DOES[e.code]); e.preventDefault(); }
});
addEventListener('keyup', (e) => held.delete(DOES[e.code]));

const free = (x, z) => [[-1, -1], [1, -1], [-1, 1], [1, 1]].every(([i, j]) => !wall[Math.floor(z + j * 0.2)][Math.floor(x + i * 0.2)]);
function walk(dt) {
  burnt += dt;
  angle += ((held.has('right') ? 1 : 0) - (held.has('left') ? 1 : 0)) * 2.2 * dt;
  const pace = ((held.has('on') ? 1 : 0) - (held.has('back') ? 0.6 : 0)) * 1.7 * dt;
  const x = eye.x + Math.sin(angle) * pace, z = eye.z + Math.cos(angle) * pace;
  if (free(x, eye.z)) eye.x = x;
  if (free(eye.x, z)) eye.z = z;
  cheeses = cheeses.filter((c) => Math.hypot(c.x - eye.x, c.z - eye.z) > 0.45);
  if (cheeses.length === 0) finish('All four. The mice salute you.');
  else if (burnt > BURNS) finish('The candle is out, and the mice have won.');
}
function finish(text) { walking = false; document.getElementById('story').textContent = text; document.getElementById('title').hidden = false; }

let last = performance.now();
function frame(now) {
  if (walking) walk(Math.min(0.06, (now - last) / 1000));
  last = now;
  document.getElementById('hud').textContent = `Cheeses ${4 - cheeses.length} of 4`;
  document.querySelector('#candle i').style.height = `${100 * (1 - burnt / BURNS)}%`;
  const bob = walking && (held.has('on') || held.has('back')) ? Math.sin(now / 90) * 0.02 : 0;
  gl.viewport(0, 0, canvas.width, canvas.height);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.uniform3f(at.eye, eye.x, 0.55 + bob, eye.z);
  gl.uniform2f(at.turn, Math.cos(angle), Math.sin(angle));
  gl.uniform1f(at.glow, (1.7 - burnt / BURNS) * (1 + 0.04 * Math.sin(now / 70) * Math.sin(now / 231)));
  wedges(now / 900);
  requestAnimationFrame(frame);
}
reset();
requestAnimationFrame(frame);
