/*
title: The clock stands still
kind: fault
checks: gameStable controlsResponsive
needs: canvas loop
shows: still

Date, performance.now and the time that animation frames are given never change: the game draws and nothing moves.
*/
const RealDate = Date;
const epoch = RealDate.now();
const start = performance.now();
self.Date = new Proxy(RealDate, {
  construct: (target, args, type) => Reflect.construct(target, args.length ? args : [epoch], type === self.Date ? target : type),
  apply: () => new RealDate(epoch).toString(),
});
RealDate.now = () => epoch;
Performance.prototype.now = () => start;
const frame = self.requestAnimationFrame;
if (frame) self.requestAnimationFrame = (callback) => frame.call(self, () => callback(start));
Object.defineProperty(Event.prototype, 'timeStamp', { configurable: true, get: () => start });
