// Gives a page's code a clock that can be stopped. Real time is mapped to the
// page's: a stretch in which the clock stands is no time at all, and animation
// frames and timers wait for its end. Until then the map changes nothing.
(() => {
  const key = Symbol.for('playtest.clock');
  const holds = []; // stretches, [from, to] in real milliseconds of this world
  const kept = 16; // of them; nobody asks about a time before these
  let gone = 0; // what the others came to
  let stood = null; // since when the clock stands
  let read = 0; // by how much being read has moved a clock that stands
  const now = performance.now.bind(performance);
  const lived = (t) => {
    let lost = gone;
    for (const [from, to] of holds) {
      if (t >= to) lost += to - from;
      else if (t > from) lost += t - from;
    }
    if (stood !== null && t > stood) lost += t - stood;
    return t - lost;
  };
  const hold = (from, to) => {
    if (to <= from) return;
    holds.push([from, to]);
    if (holds.length > kept) {
      const [a, b] = holds.shift();
      gone += b - a;
    }
  };
  let most = Infinity; // what the clock shows at most until the next frame
  // Code that waits by reading the clock must get there.
  const tell = (t) => (stood === null ? Math.min(lived(t), most) : lived(t) + (read += 0.001));
  const lost = () => {
    const t = now();
    return t - tell(t);
  };

  const natives = {};
  const replace = (owner, name, make) => {
    const original = owner[name];
    if (typeof original !== 'function') return;
    if (owner === globalThis) natives[name] = original.bind(globalThis);
    const copy = make(original);
    for (const p of ['name', 'length']) {
      Object.defineProperty(copy, p, { value: original[p], configurable: true });
    }
    owner[name] = copy;
  };
  replace(Performance.prototype, 'now', (original) => function () {
    return tell(original.call(this));
  });
  const Real = Date;
  replace(Real, 'now', (original) => () => Math.round(original() - lost()));
  const Shifted = new Proxy(Real, {
    construct: (target, args, made) =>
      Reflect.construct(target, args.length ? args : [Real.now()], made === Shifted ? target : made),
    apply: () => new Real(Real.now()).toString(),
  });
  Real.prototype.constructor = Shifted;
  globalThis.Date = Shifted;

  const frames = new Map(); // callbacks that wait for a frame, by the page's id
  const renamed = new Map(); // the page's id to that of the frame asked for instead
  const frame = (id, callback, t) => {
    renamed.delete(id);
    if (stood === null || t <= stood) callback(lived(t)); // or the last frame before
    else frames.set(id, callback);
  };
  replace(globalThis, 'requestAnimationFrame', (original) => (callback) => {
    if (typeof callback !== 'function') return original.call(globalThis, callback);
    const id = original.call(globalThis, (t) => frame(id, callback, t));
    return id;
  });
  replace(globalThis, 'cancelAnimationFrame', (original) => (id) => {
    frames.delete(id);
    const instead = renamed.get(id);
    renamed.delete(id);
    return original.call(globalThis, instead ?? id);
  });

  const due = new Map(); // timers that wait, by id
  const ring = (id) => {
    const call = due.get(id);
    if (!call || stood !== null) return;
    due.delete(id);
    call();
  };
  for (const name of ['setTimeout', 'setInterval']) {
    replace(globalThis, name, (original) => (callback, ...rest) => {
      if (typeof callback !== 'function') return original.call(globalThis, callback, ...rest);
      const id = original.call(globalThis, (...args) => {
        due.set(id, () => callback.apply(globalThis, args));
        ring(id);
      }, ...rest);
      return id;
    });
  }
  for (const name of ['clearTimeout', 'clearInterval']) {
    replace(globalThis, name, (original) => (id) => {
      due.delete(id);
      return original.call(globalThis, id);
    });
  }

  const stop = (at = now()) => {
    if (stood !== null) return;
    stood = at;
    read = 0;
    most = Infinity;
  };
  const start = () => {
    if (stood === null) return;
    const from = stood;
    stood = null;
    hold(from, now() - read);
    for (const [id, callback] of [...frames]) {
      frames.delete(id);
      renamed.set(id, natives.requestAnimationFrame((t) => frame(id, callback, t)));
    }
    for (const id of [...due.keys()]) natives.setTimeout(() => ring(id), 0);
  };
  // run lives for ms, but not longer than limit of real time. In no frame does
  // more time pass than on a machine that manages thirty a second.
  const longest = 1000 / 30;
  const run = (ms, limit) => new Promise((done) => {
    stop();
    const end = lived(stood) + read + ms;
    let last = end - ms;
    let over = false;
    const finish = (at) => {
      if (over) return;
      over = true;
      natives.clearTimeout(timer);
      stop(at);
      natives.setTimeout(done, 0); // after what else this frame brings
    };
    const tick = (t) => {
      if (over) return;
      const late = lived(t) - most;
      if (late > 0) hold(t - late, t);
      last = Math.max(last, lived(t));
      if (last >= end - 0.5) {
        finish(t);
        return;
      }
      most = Math.min(last + longest, end);
      natives.requestAnimationFrame(tick);
    };
    const framed = natives.requestAnimationFrame; // not in most workers
    const timer = natives.setTimeout(() => finish(), framed ? limit : ms);
    framed?.(tick); // before the page's own
    start();
    most = framed ? Math.min(last + longest, end) : end;
  });

  const clock = {
    stop, start, run,
    lose: (ms) => {
      if (stood === null) hold(now() - ms, now());
    },
  };
  Object.defineProperty(globalThis, key, { value: clock });
  return clock;
})()
