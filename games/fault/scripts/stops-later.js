/*
title: The animation stops after a while
kind: fault
checks: gameStable controlsResponsive
needs: canvas loop
shows: still
within: 40

Five to forty seconds after the page opened no animation frame and no timer of the game fires any more. Listeners still do.
*/
let stopped = false;
self.setTimeout(() => { stopped = true; }, fault.pick(5000, 40000));
const frame = self.requestAnimationFrame;
if (frame) self.requestAnimationFrame = function (callback) { return frame.call(self, (now) => { if (!stopped) callback(now); }); };
for (const name of ['setTimeout', 'setInterval']) {
  const timer = self[name];
  self[name] = function (callback, delay, ...args) {
    if (typeof callback !== 'function') return timer.call(self, callback, delay, ...args);
    return timer.call(self, (...given) => { if (!stopped) callback(...given); }, delay, ...args);
  };
}
