/*
title: Errors begin late
kind: fault
checks: gameStable controlsResponsive
needs: canvas loop
shows: still
within: 50

Fifteen to fifty seconds after the page opened every frame and timer of the game begins to end in an error before it does anything.
*/
let broken = false;
self.setTimeout(() => { broken = true; }, fault.pick(15000, 50000));
const fail = () => { throw new TypeError("undefined is not an object (evaluating 'this.level.enemies')"); };
const frame = self.requestAnimationFrame;
if (frame) {
  self.requestAnimationFrame = function (callback) {
    const step = (now) => {
      if (!broken) { callback(now); return; }
      frame.call(self, step); // the loop had asked for its next frame before it broke
      fail();
    };
    return frame.call(self, step);
  };
}
const every = self.setInterval;
self.setInterval = function (callback, delay, ...args) {
  if (typeof callback !== 'function') return every.call(self, callback, delay, ...args);
  return every.call(self, (...given) => { if (broken) fail(); else callback(...given); }, delay, ...args);
};
const once = self.setTimeout;
self.setTimeout = function (callback, delay, ...args) {
  if (typeof callback !== 'function') return once.call(self, callback, delay, ...args);
  return once.call(self, (...given) => { if (broken) fail(); else callback(...given); }, delay, ...args);
};
