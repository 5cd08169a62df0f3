// Gives a page a stepped clock and seeded chance: nothing that waits for time
// happens until it is stepped, and the same steps bring the same frames. Also
// keeps a running hash of everything the page draws and changes, so that two
// pages can be compared without taking a picture. It runs in every frame and
// worker before the page's first line.
(() => {
  const realFrame = globalThis.requestAnimationFrame?.bind(globalThis), realLater = globalThis.setTimeout.bind(globalThis);
  // The page may call things of its own Map or Promise.
  const { Map, WeakMap, WeakSet, Set, Promise, Proxy, MessageChannel, MutationObserver } = globalThis;
  const RealDate = Date, epoch = 1700000000000, frame = 1000 / 60;
  // A worker has lived for a moment by now. Its time goes on from the next whole
  // second, never back, and from the same in every arm.
  let now = globalThis.document ? 0 : Math.ceil(performance.now() / 1000) * 1000;
  let next = 1, chance = 12345, asked = 0;
  // Who asks for the time this often within a frame waits for it to pass.
  const patience = 2000;
  const tell = () => {
    if (++asked > patience) now += 0.1;
    return now;
  };
  const timers = new Map();
  let frames = new Map();

  const Steered = new Proxy(RealDate, {
    construct: (target, args, as) => Reflect.construct(target, args.length ? args : [epoch + Math.floor(tell())], as === Steered ? target : as),
    apply: () => new RealDate(epoch + Math.floor(tell())).toString(),
  });
  RealDate.now = () => epoch + Math.floor(tell());
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
  stepped(globalThis.BaseAudioContext?.prototype, 'currentTime', (real, audio) => (audio.state === 'running' ? now / 1000 : real.call(audio)));
  const random = () => {
    chance = (chance + 0x6d2b79f5) | 0;
    let t = Math.imul(chance ^ (chance >>> 15), 1 | chance);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
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

  // The trace: a hash of every drawing call with its numbers, and of every change
  // of the document. Equal traces mean that two pages did the same.
  let trace = 0, drawn = 0, changed = 0;
  const mix = (n) => { trace = (Math.imul(trace ^ n, 0x01000193) + 1) | 0; };
  const mixText = (s) => { for (let i = 0; i < s.length && i < 64; i++) mix(s.charCodeAt(i)); };
  const mixCall = (code, args) => {
    drawn++;
    mix(code);
    for (let i = 0; i < args.length && i < 9; i++) {
      const v = args[i];
      if (typeof v === 'number') mix((v * 64) | 0);
      else if (typeof v === 'string') mixText(v);
    }
  };
  const mixNumbers = (values) => {
    if (!values || !(values.length > 0)) return;
    const every = Math.max(1, values.length >> 5);
    for (let i = 0; i < values.length; i += every) mix((values[i] * 1024) | 0);
  };
  if (globalThis.MutationObserver && globalThis.document) {
    const watched = { subtree: true, childList: true, attributes: true, characterData: true };
    const observer = new MutationObserver((list) => {
      changed += list.length;
      for (const m of list) {
        if (m.type === 'attributes') mixText(m.attributeName + (m.target.getAttribute(m.attributeName) ?? ''));
        else if (m.type === 'characterData') mixText(m.target.data);
        else for (const n of m.addedNodes) mixText(n.nodeName + (n.data ?? n.textContent?.slice(0, 40) ?? ''));
        mix(m.removedNodes.length);
      }
    });
    observer.observe(document, watched);
    const attach = Element.prototype.attachShadow;
    Element.prototype.attachShadow = function (...args) {
      const root = attach.apply(this, args);
      observer.observe(root, watched);
      return root;
    };
  }

  const later = (run, delay, args, every) => {
    const wait = Math.max(Number(delay) || 0, every ? 4 : 1);
    timers.set(next, { run, args, due: now + wait, every: every ? wait : 0, id: next });
    return next++;
  };
  globalThis.setTimeout = (run, delay, ...args) => later(run, delay, args, false);
  globalThis.setInterval = (run, delay, ...args) => later(run, delay, args, true);
  globalThis.clearTimeout = globalThis.clearInterval = (id) => { timers.delete(id); };
  globalThis.requestAnimationFrame = (run) => { frames.set(next, run); return next++; };
  globalThis.cancelAnimationFrame = (id) => { frames.delete(id); };
  globalThis.requestIdleCallback = (run) => later(() => run({ didTimeout: false, timeRemaining: () => 10 }), 1, [], false);
  globalThis.cancelIdleCallback = globalThis.clearTimeout;

  const guarded = (run, ...args) => {
    try { typeof run === 'function' ? run(...args) : (0, eval)(run); } catch (e) { globalThis.reportError?.(e); }
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
      now = Math.max(now, t.due);
      if (t.every) t.due = now + t.every; else timers.delete(t.id);
      guarded(t.run, ...t.args);
      await null;
    }
    now = Math.max(now, end);
    const due = frames;
    frames = new Map();
    for (const run of due.values()) guarded(run, now);
    guarded(animate);
    await null;
  };
  // A frame of a WebGL game that nobody will see need not be painted, which is
  // most of what it costs without a graphics card. What goes into a texture, or
  // is meant to stay, is painted all the same.
  const seen = 2; // the last frames, since some paint only every other
  let unseen = false, stepping = false, count = 0;
  const aside = new WeakSet(); // contexts that paint into something else than their canvas
  for (const kind of ['WebGLRenderingContext', 'WebGL2RenderingContext']) {
    const gl = globalThis[kind]?.prototype;
    if (!gl) continue;
    const bind = gl.bindFramebuffer;
    gl.bindFramebuffer = function (target, buffer) {
      if (buffer) aside.add(this); else aside.delete(this);
      return bind.call(this, target, buffer);
    };
    for (const name of ['drawArrays', 'drawElements', 'drawArraysInstanced', 'drawElementsInstanced', 'drawRangeElements']) {
      const draw = gl[name];
      if (!draw) continue;
      gl[name] = function (...args) {
        mixCall(100, args);
        if (unseen && !aside.has(this) && !this.getContextAttributes()?.preserveDrawingBuffer) return;
        return draw.apply(this, args);
      };
    }
    // What a scene looks like lies in its uniforms and buffers.
    for (const name of Object.getOwnPropertyNames(gl)) {
      const vector = /^uniform(\d|Matrix\d)\w*v$/.test(name), plain = /^uniform\d[fi]$/.test(name), buffer = /^buffer(Sub)?Data$/.test(name);
      if (!vector && !plain && !buffer) continue;
      const real = gl[name];
      gl[name] = function (...args) {
        if (plain) mixCall(101, args);
        else mixNumbers(buffer ? (ArrayBuffer.isView(args[1]) ? args[1] : args[2]) : args[args.length - 1]);
        return real.apply(this, args);
      };
    }
  }
  // Nor need it be copied to where it would have been seen.
  const plain = globalThis.CanvasRenderingContext2D?.prototype;
  if (plain) {
    const copy = plain.drawImage, gl = new WeakSet(), open = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
      const context = open.call(this, kind, ...more);
      if (context && /webgl/.test(kind)) gl.add(this);
      return context;
    };
    plain.drawImage = function (source, ...where) {
      if (unseen && gl.has(source)) return;
      return copy.call(this, source, ...where);
    };
    skipUnseen(plain);
  }
  // The same for plain canvases that are painted anew from edge to edge in every
  // frame. All arms skip the same, so what differs still differs because of an input.
  function skipUnseen(plain) {
    const sure = 20; // frames in a row that began with a wipe
    const records = new WeakMap(), readers = new WeakMap();
    const record = (context) => {
      let r = records.get(context);
      if (!r) records.set(context, (r = { frame: 0, wiped: 0, skip: false }));
      return r;
    };
    // reads: what a canvas shows is used by another context, or elsewhere.
    const reads = (proto, name, which) => {
      const real = proto?.[name];
      if (!real) return;
      proto[name] = function (...args) {
        const canvas = which(this, args);
        if (canvas instanceof HTMLCanvasElement) {
          if (!readers.has(canvas)) readers.set(canvas, new Set());
          readers.get(canvas).add(name === 'drawImage' ? record(this) : null);
        }
        return real.apply(this, args);
      };
    };
    const first = (_, args) => args[0], last = (_, args) => args[args.length - 1];
    for (const name of ['toDataURL', 'toBlob', 'captureStream']) reads(HTMLCanvasElement.prototype, name, (canvas) => canvas);
    reads(plain, 'getImageData', (context) => context.canvas);
    reads(plain, 'createPattern', first);
    reads(plain, 'drawImage', first);
    reads(globalThis, 'createImageBitmap', first);
    for (const kind of ['WebGLRenderingContext', 'WebGL2RenderingContext'])
      for (const name of ['texImage2D', 'texSubImage2D']) reads(globalThis[kind]?.prototype, name, last);

    const covers = (context, x, y, w, h) => {
      const m = context.getTransform();
      if (m.b || m.c) return false;
      const left = m.a * x + m.e, top = m.d * y + m.f, right = left + m.a * w, bottom = top + m.d * h;
      return Math.min(left, right) < 1 && Math.min(top, bottom) < 1 &&
        Math.max(left, right) > context.canvas.width - 1 && Math.max(top, bottom) > context.canvas.height - 1;
    };
    const opaque = (context) => context.globalAlpha === 1 && /^(source-over|copy)$/.test(context.globalCompositeOperation);
    const wipes = {
      clearRect: covers,
      fillRect: (context, ...box) => opaque(context) && !/^rgba/.test(context.fillStyle) && covers(context, ...box),
      drawImage: (context, source, x, y, w = source.width, h = source.height, ...part) => !part.length && opaque(context) && covers(context, x, y, w, h),
    };
    const steady = (r) => r && r.wiped > sure;
    // skips decides at the first stroke of each frame.
    const skips = (context, name, args) => {
      const r = record(context);
      if (r.frame !== count) {
        r.wiped = count - r.frame <= seen && wipes[name]?.(context, ...args) ? r.wiped + 1 : 0;
        r.frame = count;
        r.skip = unseen && steady(r) && [...(readers.get(context.canvas) ?? [])].every(steady);
      }
      return r.skip;
    };
    ['clearRect', 'fillRect', 'strokeRect', 'fill', 'stroke', 'fillText', 'strokeText', 'drawImage', 'putImageData'].forEach((name, code) => {
      const paint = plain[name];
      plain[name] = function (...args) {
        mixCall(code, args);
        if (code < 4 || code === 5) mixText(String(this.fillStyle));
        // What is painted between frames, for an input, is not painted again.
        if (stepping && skips(this, name, args)) return;
        return paint.apply(this, args);
      };
    });
    // Shapes are drawn by paths and moved by transforms.
    for (const name of ['arc', 'lineTo', 'moveTo', 'rect', 'ellipse', 'translate', 'rotate', 'scale', 'setTransform', 'transform', 'bezierCurveTo', 'quadraticCurveTo', 'roundRect']) {
      const real = plain[name];
      if (!real) continue;
      plain[name] = function (...args) {
        for (let i = 0; i < args.length && i < 6; i++) if (typeof args[i] === 'number') mix((args[i] * 64) | 0);
        return real.apply(this, args);
      };
    }
  }
  // What a frame asks for arrives in real time. It must be there before the next
  // frame, or it would be there in another one in each arm.
  let asks = 0;
  const asking = (owner, name) => {
    const real = owner?.[name];
    if (!real) return;
    owner[name] = function (...args) {
      asks++;
      return real.apply(this, args);
    };
  };
  if (globalThis.document) {
    asking(globalThis, 'fetch');
    asking(globalThis.XMLHttpRequest?.prototype, 'send');
    for (const kind of ['HTMLImageElement', 'HTMLScriptElement']) {
      const proto = globalThis[kind]?.prototype, src = proto && Object.getOwnPropertyDescriptor(proto, 'src');
      if (!src?.set) continue;
      Object.defineProperty(proto, 'src', {
        ...src,
        set(value) {
          src.set.call(this, value);
          if (!this.complete && !/^(data|blob):/.test(value)) asks++;
        },
      });
    }
  }
  // So does what the browser decodes for it.
  let decoding = 0;
  const decodes = (owner, name) => {
    const real = owner?.[name];
    if (!real) return;
    owner[name] = function (...args) {
      decoding++;
      const done = () => { decoding--; };
      const result = real.apply(this, args);
      if (result?.then) result.then(done, done); else done();
      return result;
    };
  };
  decodes(globalThis.BaseAudioContext?.prototype, 'decodeAudioData');
  decodes(globalThis.HTMLImageElement?.prototype, 'decode');
  decodes(globalThis.FontFace?.prototype, 'load');
  decodes(globalThis, 'createImageBitmap');
  const decoded = async () => {
    const limit = 400; // times 5 ms
    for (let i = 0; decoding > 0 && i < limit; i++) await new Promise((done) => realLater(done, 5));
  };
  // Messages between pages and workers arrive in real time.
  let worked = !globalThis.document;
  for (const kind of ['Worker', 'SharedWorker']) {
    const Real = globalThis[kind];
    if (Real) globalThis[kind] = new Proxy(Real, { construct: (target, args, as) => { worked = true; return Reflect.construct(target, args, as === globalThis[kind] ? target : as); } });
  }
  const arrived = () => new Promise((done) => {
    if (worked) return realLater(done, 4);
    // What other frames of the page posted is there after a turn of the event loop.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { port1.close(); done(); };
    port2.postMessage(0);
  });
  const shown = () => new Promise((done) => realFrame ? realFrame(() => realFrame(done)) : done());
  Object.defineProperty(globalThis, '__playtestSteps', {
    // It says how many of the frames have passed: it stops after one that asked
    // for something, unless that shall not be waited for.
    // Blind frames will not be looked at.
    value: async (n, on, blind) => {
      await arrived();
      const asked = asks;
      let i = 0;
      while (i < n && (on || asks === asked)) {
        if (decoding > 0) await decoded();
        unseen = blind || i < n - seen;
        stepping = true;
        count++;
        await step();
        i++;
      }
      unseen = stepping = false;
      return i;
    },
  });
  // Chance from here on is the same as after every other reseeding.
  Object.defineProperty(globalThis, '__playtestReseed', { value: () => { chance = 54321; } });
  Object.defineProperty(globalThis, '__playtestShown', { value: shown });
  Object.defineProperty(globalThis, '__playtestTrace', { 
    // It covers what happened since it was last read.
    value: () => {
      const seen = { hash: trace, drawn, changed, frames: frames.size, timers: timers.size };
      trace = drawn = changed = 0;
      return seen;
    },
  });
})();
//# sourceURL=playtest:clock
