/*
title: Game over at once, again and again
kind: fault
checks: gameStable controlsResponsive
needs: ends waits canvas
shows: fast

The game's time runs 30 to 60 times too fast once somebody has touched it, so that every round is over before a person
could act.
*/
const speed = fault.pick(30, 60);
const step = 1000 / 60;
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
const frame = self.requestAnimationFrame;
let waiting = [];
let next = 1;
const play = () => {
  const rounds = running ? speed : 1;
  for (let i = 0; i < rounds && waiting.length; i++) {
    if (i > 0) ahead += step;
    const batch = waiting;
    waiting = [];
    for (const [, callback] of batch) { try { callback(now()); } catch (e) { self.reportError(e); } }
  }
  if (waiting.length) frame.call(self, play);
};
if (frame) {
  self.requestAnimationFrame = (callback) => {
    if (!waiting.length) frame.call(self, play);
    waiting.push([next, callback]);
    return next++;
  };
  self.cancelAnimationFrame = (id) => { waiting = waiting.filter(([n]) => n !== id); };
}
for (const name of ['setTimeout', 'setInterval']) {
  const timer = self[name];
  self[name] = (callback, delay, ...args) => timer.call(self, callback, running ? (delay || 0) / speed : delay, ...args);
}
