// What a frame asks for arrives in real time: files, pictures, sounds, fonts and what
// the browser decodes. It must be there before the next frame, or it would be there in
// another one in each twin.
let pending = 0;
const waitFor = (thing, ...events) => {
  pending++;
  let waiting = true;
  const done = () => {
    if (waiting) pending--;
    waiting = false;
  };
  for (const name of events) invoke(listen, thing, [name, done, { __proto__: null, once: true }]);
  return done;
};
const waitForPromise = (owner, name) => {
  const real = owner?.[name];
  if (!real) return;
  owner[name] = function (...args) {
    const result = invoke(real, this, args);
    if (result?.then) {
      pending++;
      const done = () => { pending--; };
      invoke(then, result, [done, done]);
    }
    return result;
  };
};
const listen = globalThis.EventTarget?.prototype.addEventListener, then = Promise.prototype.then;
const waitForPicture = (img) => {
  if (img.src && !img.complete && img.loading !== 'lazy' && !/^data:/.test(img.src)) waitFor(img, 'load', 'error');
};
// Of those that are there from the beginning the document knows whether they are loaded.
const waitForScript = (el) => {
  if (el.src && document.readyState === 'complete') waitFor(el, 'load', 'error');
};
if (globalThis.document) {
  waitForPromise(globalThis, 'fetch');
  for (const name of ['arrayBuffer', 'blob', 'formData', 'json', 'text']) waitForPromise(globalThis.Response?.prototype, name);
  const send = XMLHttpRequest.prototype.send;
  XMLHttpRequest.prototype.send = function (...args) {
    const done = waitFor(this, 'loadend');
    try { return invoke(send, this, args); } catch (e) { done(); throw e; } // nothing was sent
  };
  const media = (el) => {
    if (el.preload === 'none') return;
    const done = waitFor(el, 'canplaythrough', 'error');
    const on = (names, ends) => { for (const name of names) invoke(listen, el, [name, () => { if (ends()) done(); }]); };
    // Only what describes it may be asked for; and it may be emptied to be loaded again.
    on(['suspend'], () => el.preload === 'metadata');
    on(['abort', 'emptied'], () => !el.getAttribute('src'));
  };
  const sources = { HTMLImageElement: waitForPicture, HTMLMediaElement: media };
  for (const [kind, wait] of Object.entries(sources)) {
    const proto = globalThis[kind]?.prototype, src = proto && Object.getOwnPropertyDescriptor(proto, 'src');
    if (!src?.set) continue;
    Object.defineProperty(proto, 'src', {
      ...src,
      set(value) {
        invoke(src.set, this, [value]);
        forgetPicture(this);
        if (value) wait(this);
      },
    });
  }
  const RealAudio = globalThis.Audio;
  if (RealAudio) globalThis.Audio = new Proxy(RealAudio, {
    construct: (target, args, as) => {
      const el = make(target, args, as === globalThis.Audio ? target : as);
      if (args.length && args[0]) media(el);
      return el;
    },
  });
}
waitForPromise(globalThis.BaseAudioContext?.prototype, 'decodeAudioData');
waitForPromise(globalThis.HTMLImageElement?.prototype, 'decode');
waitForPromise(globalThis.FontFace?.prototype, 'load');
waitForPromise(globalThis, 'createImageBitmap');
const missing = () => pending > 0 || globalThis.document?.fonts?.status === 'loading';
// settled waits until everything is there and what listens for it has run, for a while.
const settled = async () => {
  const limit = 400; // times 5 ms
  for (let i = 0; missing() && i < limit; i++) await new Promise((done) => realLater(done, 5));
  return !missing();
};
// A page gets its first frame when all of it is there, or after a while: how much of its
// code would have run by then depends on the machine.
let opened = false;
const complete = async () => {
  const limit = 1000; // times 5 ms
  for (let i = 0; !opened && globalThis.document && document.readyState !== 'complete' && i < limit; i++) await new Promise((done) => realLater(done, 5));
  opened = true;
};
// A page that is being left gets no more frames: how many it would get until the next
// page is there depends on the machine.
const often = 30; // turns that make code a loop
let leaving = false, decided = false;
if (globalThis.navigation) {
  invoke(listen, navigation, ['navigate', (e) => {
    leaving = !e.destination.sameDocument && e.downloadRequest === null;
    decided = habit > often;
  }]);
  invoke(listen, navigation, ['navigateerror', () => { leaving = false; }]);
}
const left = async () => {
  const limit = 400; // times 5 ms
  for (let i = 0; leaving && i < limit; i++) await new Promise((done) => realLater(done, 5));
  leaving = false;
};
// Messages between pages and workers arrive in real time.
let worked = !globalThis.document;
for (const kind of ['Worker', 'SharedWorker']) {
  const Real = globalThis[kind];
  if (Real) globalThis[kind] = new Proxy(Real, { construct: (target, args, as) => { worked = true; return make(target, args, as === globalThis[kind] ? target : as); } });
}
const arrived = () => new Promise((done) => {
  if (worked) return realLater(done, 4);
  // What other frames of the page posted is there after a turn of the event loop.
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => { port1.close(); done(); };
  port2.postMessage(0);
});
