// Gives a page a stepped clock and seeded chance: nothing that waits for time
// happens until it is stepped, and the same steps bring the same frames. It runs in
// every frame and worker before the page's first line, in one scope with
// native.js, media.js, paint.js, trace.js and waits.js.
const realFrame = globalThis.requestAnimationFrame?.bind(globalThis), realLater = globalThis.setTimeout.bind(globalThis);
const RealDate = Date, epoch = 1700000000000, frame = 1000 / 60;
// A worker has lived for a moment by now. Its time goes on from the next whole
// second, never back, and from the same in every arm.
let now = globalThis.document ? 0 : ceil(performance.now() / 1000) * 1000;
let next = 1, chance = 12345 + chanceDraw, asked = 0, stale = false;
// Who asks for the time this often within a frame waits for it to pass.
const patience = 2000;
const tell = () => {
  if (++asked > patience) now += 0.1;
  return now;
};
const timers = new Map();
let frames = new Map();

const Steered = new Proxy(RealDate, {
  construct: (target, args, as) => make(target, args.length ? args : [epoch + floor(tell())], as === Steered ? target : as),
  apply: () => new RealDate(epoch + floor(tell())).toString(),
});
RealDate.now = () => epoch + floor(tell());
RealDate.prototype.constructor = Steered;
globalThis.Date = Steered;
if (globalThis.Performance) Performance.prototype.now = tell;
// stepped replaces a clock that is read as a property.
const stepped = (owner, name, read) => {
  const d = owner && Object.getOwnPropertyDescriptor(owner, name);
  if (d?.get && d.configurable) Object.defineProperty(owner, name, { ...d, get() { return read(d.get, this); } });
};
stepped(globalThis.Event?.prototype, 'timeStamp', () => now);
stepped(globalThis.AnimationTimeline?.prototype, 'currentTime', () => now);
stepped(globalThis.BaseAudioContext?.prototype, 'currentTime', (real, audio) => (audio.state === 'running' ? now / 1000 : invoke(real, audio, [])));
const random = () => {
  chance = (chance + 0x6d2b79f5) | 0;
  let t = imul(chance ^ (chance >>> 15), 1 | chance);
  t = (t + imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
Math.random = random;
if (globalThis.Crypto) {
  Crypto.prototype.getRandomValues = function (values) {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    for (let i = 0; i < bytes.length; i++) bytes[i] = random() * 256;
    return values;
  };
  const hex = (n) => Array.from({ length: n }, () => ((random() * 16) | 0).toString(16)).join('');
  Crypto.prototype.randomUUID = () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
}

// When windows come and go, the browser tells pages that its own pointer is where it always
// is, in the corner of the screen. When that is depends on the machine; playtest points
// elsewhere.
const stray = (e) => {
  if (e.isTrusted && e.screenX === 0 && e.screenY === 0 && !e.buttons) invoke(halt, e, []);
};
for (const device of globalThis.document ? ['mouse', 'pointer'] : []) {
  for (const what of ['move', 'over', 'enter', 'out', 'leave']) globalThis.addEventListener(device + what, stray, true);
}

// habit is how many times, one out of the other, the code that runs now has had itself
// called: that of a loop of the game grows with each turn.
let habit = 0;
const later = (run, delay, args, every) => {
  const wait = max(Number(delay) || 0, every ? 4 : 1);
  timers.set(next, { run, args, due: now + wait, every: every ? wait : 0, id: next, habit: habit + 1 });
  return next++;
};
globalThis.setTimeout = (run, delay, ...args) => later(run, delay, args, false);
globalThis.setInterval = (run, delay, ...args) => later(run, delay, args, true);
globalThis.clearTimeout = globalThis.clearInterval = (id) => { timers.delete(id); };
globalThis.requestAnimationFrame = (run) => { frames.set(next, { run, habit: habit + 1 }); return next++; };
globalThis.cancelAnimationFrame = (id) => { frames.delete(id); };
globalThis.requestIdleCallback = (run) => later(() => run({ didTimeout: false, timeRemaining: () => 10 }), 1, [], false);
globalThis.cancelIdleCallback = globalThis.clearTimeout;

const guarded = (call, ...args) => {
  habit = call.habit;
  try { typeof call.run === 'function' ? call.run(...args) : (0, eval)(call.run); } catch (e) { globalThis.reportError?.(e); }
  habit = 0;
};
const earliest = (until) => {
  let first = null;
  for (const t of timers.values()) if (t.due <= until && (!first || t.due < first.due || (t.due === first.due && t.id < first.id))) first = t;
  return first;
};
// Animations and transitions of style sheets follow the same clock.
const begun = new WeakMap();
const animate = () => {
  for (const a of globalThis.document?.getAnimations?.() ?? []) {
    if (!begun.has(a)) { begun.set(a, now); a.pause(); }
    const at = now - begun.get(a);
    if (at >= (a.effect?.getComputedTiming().endTime ?? Infinity)) a.finish(); else a.currentTime = at;
  }
};
const step = async () => {
  const end = now + frame;
  asked = 0;
  // A timer may set another for the same moment, for ever.
  for (let guard = 0; guard < 1000; guard++) {
    const t = earliest(end);
    if (!t) break;
    now = max(now, t.due);
    if (t.every) t.due = now + t.every; else timers.delete(t.id);
    guarded(t, ...t.args);
    t.habit++;
    await null;
    if (leaving) return;
  }
  now = max(now, end);
  guarded({ run: mediaPass, habit: 0 });
  const due = frames;
  frames = new Map();
  for (const call of due.values()) {
    guarded(call, now);
    if (leaving) return;
  }
  guarded({ run: animate, habit: 0 });
  await null;
};
const shown = () => new Promise((done) => {
  if (!realFrame) return done();
  realFrame(() => realFrame(done));
  // The browser draws no frame for a part of the page that is out of sight.
  if (globalThis.top !== globalThis) realLater(done, 100);
});
Object.defineProperty(globalThis, '__playtestSteps', {
  // It says how many of the frames have passed: it stops where something that the
  // game asked for does not come, unless that shall not be waited for. It says -1 if the
  // page began to leave, and -2 if a loop of the game decided that.
  // Blind frames will not be looked at. Unless all are painted, those before the last
  // are not painted, either.
  value: async (n, on, blind, all) => {
    await complete();
    await arrived();
    let i = 0;
    while (i < n) {
      if (leaving) await left();
      if (!on && missing() && !(await settled())) break;
      unseen = !all && (blind || i < n - seen);
      stepping = true;
      count++;
      await step();
      note();
      if (leaving) break;
      i++;
    }
    unseen = stepping = false;
    if (leaving) return decided ? -2 : -1;
    if (!blind && unpainted.size) stale = true;
    return i;
  },
});
// Chance from here on is the same as after every other reseeding.
Object.defineProperty(globalThis, '__playtestReseed', { value: () => { chance = 54321 + chanceDraw; } });
Object.defineProperty(globalThis, '__playtestShown', { value: shown });
Object.defineProperty(globalThis, '__playtestArrived', { value: () => arrived() });
Object.defineProperty(globalThis, '__playtestTrace', { 
  // It covers what happened since it was last read.
  value: () => {
    note();
    const seen = { __proto__: null, hash: trace, drawn, changed, last, active, own: now, told: performance.now(), stale, frames: frames.size, timers: timers.size };
    trace = drawn = changed = noted = 0;
    return seen;
  },
});
// due is after how many milliseconds all is done that waits to be done once, while the page rests
// apart from that; zero if nothing waits soon, negative if the page does not rest.
const due = () => {
  const soon = 5000;
  let last = 0;
  for (const t of timers.values()) {
    if (t.every || t.habit > often) return -1;
    if (t.due - now <= soon) last = max(last, t.due - now);
  }
  const heard = mediaDue();
  if (heard <= soon) last = max(last, heard);
  return frames.size ? -1 : last;
};
Object.defineProperty(globalThis, '__playtestDue', { value: due });
