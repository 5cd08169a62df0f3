/*
title: Every frame is busy
kind: issue
mentions: frame slow busy long blocked fps thread
needs: canvas loop

Forty to eighty milliseconds of every frame are spent on nothing, so that the game stutters.
*/
const busy = fault.pick(40, 80);
const frame = self.requestAnimationFrame;
if (frame) {
  self.requestAnimationFrame = (callback) => frame.call(self, (now) => {
    const until = performance.now() + busy;
    callback(now);
    while (performance.now() < until);
  });
}
