/*
title: Game over at once, again and again
kind: fault
checks: gameStable controlsResponsive
needs: ends waits canvas
shows: fast

The game's time runs many times too fast once somebody has touched it, so that every round is over before a person
could act.
*/
const speed = fault.pick(30, 60);
const step = 1000 / 30; // no longer than games allow a frame to be
const clock = Performance.prototype.now;
const RealDate = Date;
const epoch = RealDate.now() - clock.call(performance);
let ahead = 0; // how far the game's time has run ahead of the real one
let running = !self.window; // a worker does not see the player
const now = () => clock.call(performance) + ahead;
Performance.prototype.now = now;
RealDate.now = () => Math.round(epoch + now());
self.Date = new Proxy(RealDate, {
  construct: (target, args, type) => Reflect.construct(target, args.length ? args : [RealDate.now()], type === self.Date ? target : type),
  apply: () => new RealDate(RealDate.now()).toString(),
});
if (self.window) {
  for (const type of ['keydown', 'mousedown', 'pointerdown']) window.addEventListener(type, (e) => { if (e.isTrusted) running = true; }, true);
}
// Only the first of the many frames is drawn, or the page would be too busy to be looked at.
let skipping = false;
const undrawn = (type, names) => {
  if (!type) return;
  for (const name of names) {
    const draw = type.prototype[name];
    if (typeof draw === 'function') type.prototype[name] = function (...args) { return skipping ? undefined : draw.apply(this, args); };
  }
};
const flat = ['fill', 'stroke', 'fillRect', 'strokeRect', 'clearRect', 'fillText', 'strokeText', 'drawImage', 'putImageData'];
undrawn(self.CanvasRenderingContext2D, flat);
undrawn(self.OffscreenCanvasRenderingContext2D, flat);
const deep = ['clear', 'drawArrays', 'drawElements', 'drawArraysInstanced', 'drawElementsInstanced'];
undrawn(self.WebGLRenderingContext, deep);
undrawn(self.WebGL2RenderingContext, deep);
const frame = self.requestAnimationFrame;
let waiting = [];
let next = 1;
let asked = false;
const ask = () => { if (!asked) { asked = true; frame.call(self, play); } };
const play = () => {
  const rounds = running ? speed : 1;
  const from = clock.call(performance);
  for (let i = 0; i < rounds && waiting.length && clock.call(performance) - from < 100; i++) {
    if (i > 0) ahead += step;
    skipping = i > 0;
    const batch = waiting;
    waiting = [];
    for (const [, callback] of batch) { try { callback(now()); } catch (e) { self.reportError(e); } }
  }
  skipping = false;
  asked = false;
  if (waiting.length) ask();
};
if (frame) {
  self.requestAnimationFrame = (callback) => {
    waiting.push([next, callback]);
    ask();
    return next++;
  };
  self.cancelAnimationFrame = (id) => { waiting = waiting.filter(([n]) => n !== id); };
}
for (const name of ['setTimeout', 'setInterval']) {
  const timer = self[name];
  self[name] = (callback, delay, ...args) => timer.call(self, callback, running ? (delay || 0) / speed : delay, ...args);
}
