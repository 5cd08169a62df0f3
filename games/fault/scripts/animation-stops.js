/*
title: The animation stops
kind: fault
checks: gameStable controlsResponsive
needs: canvas loop
shows: still

After 60 to 300 frames, or as many sixtieths of a second where frames are slow, no animation frame and no timer of the game fires any more. Listeners still do.
*/
let left = fault.pick(60, 300);
self.setTimeout(() => { left = 0; }, left * 1000 / 60 + 1500);
const frame = self.requestAnimationFrame;
if (frame) {
  self.requestAnimationFrame = function (callback) {
    return frame.call(self, (now) => { if (left > 0) { left--; callback(now); } });
  };
}
for (const name of ['setTimeout', 'setInterval']) {
  const timer = self[name];
  self[name] = function (callback, delay, ...args) {
    if (typeof callback !== 'function') return timer.call(self, callback, delay, ...args);
    return timer.call(self, (...given) => { if (left > 0) callback(...given); }, delay, ...args);
  };
}
