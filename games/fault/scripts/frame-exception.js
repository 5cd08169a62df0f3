/*
title: Every frame throws
kind: fault
checks: gameStable controlsResponsive
needs: canvas loop
shows: still

After 20 to 90 frames the game's frame function throws before it does anything, in this frame and in every one after it.
*/
let left = fault.pick(20, 90);
self.setTimeout(() => { left = 0; }, left * 1000 / 60 + 1500); // frames may be slow
const broken = () => { throw new TypeError("Cannot read properties of undefined (reading 'sprite')"); };
const frame = self.requestAnimationFrame;
if (frame) {
  self.requestAnimationFrame = function (callback) {
    const step = (now) => {
      if (left > 0) { left--; callback(now); return; }
      // The loop had asked for its next frame before it broke.
      frame.call(self, step);
      broken();
    };
    return frame.call(self, step);
  };
}
const every = self.setInterval;
self.setInterval = function (callback, delay, ...args) {
  if (typeof callback !== 'function' || delay > 50) return every.call(self, callback, delay, ...args);
  return every.call(self, (...given) => { if (left > 0) { left--; callback(...given); } else broken(); }, delay, ...args);
};
const once = self.setTimeout;
self.setTimeout = function (callback, delay, ...args) {
  if (typeof callback !== 'function' || delay > 50) return once.call(self, callback, delay, ...args);
  const step = (...given) => {
    if (left > 0) { left--; callback(...given); return; }
    once.call(self, step, delay, ...given);
    broken();
  };
  return once.call(self, step, delay, ...args);
};
