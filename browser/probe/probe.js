// Watches a page from inside. This file and paint.js, input.js, ask.js and
// read.js become one function that runs in every frame and worker before the
// page's first line. It wraps and never calls on its own account, and keeps
// what it saw behind one hidden property of the global object. The Go side
// replaces KEY by the property's name, which no page can guess.

// ---- natives, kept before the page can replace them -----------------------
const G = globalThis;
const KEY = 'KEY';
if (G[KEY]) return;

const { apply, construct, ownKeys, getOwnPropertyDescriptor: descriptorOf, defineProperty, deleteProperty, getPrototypeOf } = Reflect;
const { setPrototypeOf, freeze } = Object;
const { abs, min, max, round } = Math;
const { isView } = ArrayBuffer;
const { EventTarget, HTMLCanvasElement, OffscreenCanvas, MutationObserver, PerformanceObserver, WeakRef, Proxy } = G;
const NativeError = Error;
const now = performance.now.bind(performance);
const number = parseFloat;
const hasDOM = typeof document !== 'undefined';

const method = (owner, name) => { const d = owner && descriptorOf(owner, name); return d && d.value; };
const getter = (owner, name) => { const d = owner && descriptorOf(owner, name); return d && d.get; };
const uncurry = (f) => (self, a, b) => apply(f, self, [a, b]);
const read1 = (owner, name) => { const f = getter(owner, name); return (self) => apply(f, self, []); };
// Functions of the global object are its own in a page, and inherited in a worker.
const holder = (name) => { let o = G; while (o && !descriptorOf(o, name)) o = getPrototypeOf(o); return o; };
const protoOf = (name) => G[name] && G[name].prototype;

const trim = uncurry(String.prototype.trim);
const slice = uncurry(String.prototype.slice);
const split = uncurry(String.prototype.split);
const indexOf = uncurry(String.prototype.indexOf);
const charCodeAt = uncurry(String.prototype.charCodeAt);
const match = uncurry(RegExp.prototype.exec);
const deref = WeakRef && uncurry(WeakRef.prototype.deref);
const listen = EventTarget && method(EventTarget.prototype, 'addEventListener');
const attribute = hasDOM && uncurry(method(protoOf('Element'), 'getAttribute'));
const localName = hasDOM && read1(protoOf('Element'), 'localName');
const nodeType = hasDOM && read1(protoOf('Node'), 'nodeType');
const eventType = G.Event && read1(Event.prototype, 'type');

// A collection whose methods the page cannot reach.
function own(C) {
  class Own extends C {}
  for (const k of ownKeys(C.prototype)) if (k !== 'constructor') defineProperty(Own.prototype, k, descriptorOf(C.prototype, k));
  setPrototypeOf(Own.prototype, null);
  return Own;
}
const OwnMap = own(Map), OwnSet = own(Set), OwnWeakMap = own(WeakMap);
const list = () => setPrototypeOf([], null);
const push = (l, v) => { l[l.length] = v; };
const record = () => ({ __proto__: null });
const bump = (o, k) => { o[k] = (o[k] || 0) + 1; };

// Whatever goes wrong in our own noting is no business of the page.
const quietly = (f) => (a, b, c, d) => { try { return f(a, b, c, d); } catch { return undefined; } };

// ---- wrapping, so that nobody can tell ---------------------------------------
// Frames of one site can see each other's functions, so they share this.
const relatives = quietly((w) => w && w !== G && w[KEY] && w[KEY].originals);
const originals = (hasDOM && (relatives(G.top) || relatives(G.parent))) || new OwnWeakMap();

function disguise(wrapper, original) {
  originals.set(wrapper, original);
  for (const name of ['length', 'name']) {
    const d = descriptorOf(original, name);
    if (d) defineProperty(wrapper, name, d);
  }
  return wrapper;
}

// scrub takes our own frames out of the stack of an error that a native threw.
function scrub(error) {
  try {
    const stack = error.stack;
    if (typeof stack === 'string' && indexOf(stack, 'playtest:') >= 0) {
      const lines = split(stack, '\n');
      let clean = lines[0];
      for (let i = 1; i < lines.length; i++) if (indexOf(lines[i], 'playtest:') < 0) clean += '\n' + lines[i];
      error.stack = clean;
    }
  } catch { /* a frozen error, or none at all */ }
  return error;
}

// wrap replaces owner[name] by make(original); property attributes stay.
function wrap(owner, name, make) {
  const d = owner && descriptorOf(owner, name);
  if (!d || typeof d.value !== 'function' || !d.configurable) return;
  d.value = disguise(make(d.value), d.value);
  defineProperty(owner, name, d);
}

// before has note called ahead of owner[name], after has it called with the result.
function before(owner, name, note) {
  wrap(owner, name, (original) => ({
    [name]() {
      if (on) note(this, arguments);
      try { return apply(original, this, arguments); } catch (e) { throw scrub(e); }
    },
  }[name]));
}
function after(owner, name, note) {
  wrap(owner, name, (original) => ({
    [name]() {
      let result;
      try { result = apply(original, this, arguments); } catch (e) { throw scrub(e); }
      if (on) note(result, this, arguments);
      return result;
    },
  }[name]));
}

function beforeGet(owner, name, note) {
  const d = owner && descriptorOf(owner, name);
  if (!d || !d.get || !d.configurable) return;
  const original = d.get;
  d.get = disguise({ get() { if (on) note(this); try { return apply(original, this, []); } catch (e) { throw scrub(e); } } }.get, original);
  defineProperty(owner, name, d);
}
function beforeSet(owner, name, note) {
  const d = owner && descriptorOf(owner, name);
  if (!d || !d.set || !d.configurable) return;
  const original = d.set;
  d.set = disguise({ set(v) { if (on) note(this); try { return apply(original, this, [v]); } catch (e) { throw scrub(e); } } }.set, original);
  defineProperty(owner, name, d);
}

wrap(Function.prototype, 'toString', (original) => ({
  toString() {
    const wrapped = typeof this === 'function' ? originals.get(this) : undefined;
    try { return apply(original, wrapped || this, []); } catch (e) { throw scrub(e); }
  },
}.toString));

// The property that holds us is on no list of names.
for (const [owner, name] of [[Object, 'getOwnPropertyNames'], [Reflect, 'ownKeys']]) {
  after(owner, name, (names) => {
    for (let i = names.length - 1; i >= 0; i--) {
      if (names[i] !== KEY) continue;
      for (; i + 1 < names.length; i++) names[i] = names[i + 1];
      names.length--;
      return;
    }
  });
}
after(Object, 'getOwnPropertyDescriptors', (all) => { deleteProperty(all, KEY); });

// ---- what was seen ---------------------------------------------------------------
let on = true;
const seen = {
  __proto__: null,
  frames: 0, framesRequested: 0, lastFrame: 0,
  draws: 0, lastDraw: 0, textPaints: 0,
  mutations: 0, lastMutation: 0,
  timersRun: 0, intervals: 0,
  storage: 0, pointerLock: 0, fullscreen: 0, gamepads: 0, media: 0, motion: 0,
  longTasks: 0, longTaskTime: 0, longestTask: 0, lastLongTask: 0,
  contextsLost: 0, contextsRestored: 0,
  errors: 0, unhandled: 0, wasm: 0, workers: 0, audioPlays: 0,
};
