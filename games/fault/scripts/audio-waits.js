/*
title: The start waits for sound
kind: fault
checks: gameLoaded controlsResponsive
needs: sound
shows: deaf stuck

Sounds are never ready: what decodes, resumes or plays them does not come to an end, and no event says that one can be played.
*/
if (self.window) {
  const never = () => new Promise(() => {});
  HTMLMediaElement.prototype.play = never;
  for (const name of ['AudioContext', 'webkitAudioContext']) {
    if (!self[name]) continue;
    for (let proto = self[name].prototype; proto && proto !== EventTarget.prototype; proto = Object.getPrototypeOf(proto)) {
      for (const method of ['resume', 'decodeAudioData']) if (Object.hasOwn(proto, method)) proto[method] = never;
    }
  }
  const ready = ['canplay', 'canplaythrough', 'loadeddata', 'loadedmetadata', 'load'];
  const silence = (e) => { if (e.target instanceof HTMLMediaElement) e.stopImmediatePropagation(); };
  for (const type of ready) window.addEventListener(type, silence, true);
  // Sounds that are in no document do not pass by the window.
  const add = EventTarget.prototype.addEventListener;
  HTMLMediaElement.prototype.addEventListener = function (type, ...rest) { return ready.includes(type) ? undefined : add.call(this, type, ...rest); };
  for (const type of ready) Object.defineProperty(HTMLMediaElement.prototype, 'on' + type, { configurable: true, get: () => null, set: () => {} });
}
