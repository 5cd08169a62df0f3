/*
title: A low frame rate
kind: trap

Animation frames come nine to fifteen times a second, as on a weak machine.
*/
const gap = 1000 / fault.pick(9, 15);
const frame = self.requestAnimationFrame;
const cancel = self.cancelAnimationFrame;
if (frame) {
  let waiting = new Map();
  let next = 1;
  let last = 0;
  let asked = false;
  const tick = (now) => {
    asked = false;
    if (now - last >= gap) {
      last = now;
      const batch = waiting;
      waiting = new Map();
      for (const callback of batch.values()) { try { callback(now); } catch (e) { self.reportError(e); } }
    }
    if (waiting.size) ask();
  };
  const ask = () => { if (!asked) { asked = true; frame.call(self, tick); } };
  self.requestAnimationFrame = (callback) => { waiting.set(next, callback); ask(); return next++; };
  self.cancelAnimationFrame = (id) => { if (!waiting.delete(id)) cancel.call(self, id); };
}
