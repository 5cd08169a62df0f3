// Watches a page from inside. It runs in every frame before the game's first
// line, wraps and never calls on its own account, and keeps what it saw behind
// one symbol on the global object. KEY is replaced by the Go side.
(() => {
  'use strict';
  const G = globalThis;
  const SLOT = Symbol.for('KEY');
  if (G[SLOT]) return;

  // Natives are kept before the page can replace them.
  const { apply, ownKeys, getOwnPropertyDescriptor: descriptorOf, defineProperty } = Reflect;
  const now = performance.now.bind(performance);
  const nativeToString = Function.prototype.toString;
  const nativeAdd = G.EventTarget && EventTarget.prototype.addEventListener;
  const nativeError = Error;
  const WM = WeakMap;
  const M = Map;
  const hasDOM = typeof document !== 'undefined';

  // ---- wrapping, so that nobody can tell -------------------------------------
  const originals = new WM();
  const lookUp = WM.prototype.get.bind(originals);

  function disguise(wrapper, original) {
    originals.set(wrapper, original);
    for (const name of ['length', 'name']) {
      const d = descriptorOf(original, name);
      if (d) defineProperty(wrapper, name, d);
    }
    return wrapper;
  }

  // wrap replaces owner[name] by make(original); property attributes stay.
  function wrap(owner, name, make) {
    if (!owner) return;
    const d = descriptorOf(owner, name);
    if (!d || typeof d.value !== 'function' || !d.configurable) return;
    const original = d.value;
    d.value = disguise(make(original), original);
    defineProperty(owner, name, d);
  }

  function wrapGetter(owner, name, onRead) {
    const d = owner && descriptorOf(owner, name);
    if (!d || !d.get || !d.configurable) return;
    const original = d.get;
    d.get = disguise({ get() { onRead(this); return apply(original, this, []); } }.get, original);
    defineProperty(owner, name, d);
  }

  const toString = disguise({
    toString() {
      const original = typeof this === 'function' ? lookUp(this) : undefined;
      return apply(nativeToString, original || this, []);
    },
  }.toString, nativeToString);
  const ts = descriptorOf(Function.prototype, 'toString');
  ts.value = toString;
  defineProperty(Function.prototype, 'toString', ts);

  // ---- what was seen ------------------------------------------------------------
  let on = true;
  const seen = {
    frames: 0, framesRequested: 0, framesPending: 0, lastFrame: 0,
    draws: 0, lastDraw: 0, clears: 0,
    mutations: 0, lastMutation: 0, textMutations: 0,
    timersRun: 0, timersAlive: 0, intervals: 0,
    storage: 0, pointerLock: 0, fullscreen: 0, gamepads: 0, media: 0, motion: 0,
    longTasks: 0, longTaskTime: 0, longestTask: 0, lastLongTask: 0,
    contextsLost: 0, contextsRestored: 0, textPaints: 0,
    errors: 0, unhandled: 0, wasm: 0, workers: 0, audioPlays: 0,
  };
  const contexts = { __proto__: null };      // kind -> how many canvases
  const shaderErrors = [];
  const decodeErrors = [];
  const delivered = { __proto__: null };     // type -> trusted events that arrived
  const reads = { __proto__: null };         // type -> property reads by handlers
  const prevented = { __proto__: null };     // type -> preventDefault calls
  const lastEvents = [];                     // the last few trusted input events
  const listeners = new M();                 // type|target -> record
  const shadowRoots = [];
  const canvases = [];                       // WeakRefs of canvases that have a context
  const audio = [];                          // WeakRefs of audio contexts
  const frameTimes = new Float64Array(128);
  let frameTimeAt = 0;

  // ---- frames and what they draw --------------------------------------------
  // A frame's signature mixes the calls and numbers it drew with. Equal
  // signatures mean equal pictures, for the price of an addition per call.
  let sig = 0, sigDraws = 0;
  const SIGS = 256;
  const sigs = new Int32Array(SIGS);
  const sigTimes = new Float64Array(SIGS);
  const sigCounts = new Int32Array(SIGS);
  let sigAt = 0;

  function mix(n) { sig = Math.imul(sig ^ n, 0x9e3779b1); sig ^= sig >>> 15; }
  function mixNumber(v) {
    if (typeof v === 'number') mix((v * 64) | 0);
    else if (typeof v === 'string') { for (let i = 0; i < v.length && i < 32; i++) mix(v.charCodeAt(i)); }
  }
  function endOfTurn() {
    if (sigDraws === 0) return;
    const t = now();
    sigs[sigAt % SIGS] = sig; sigTimes[sigAt % SIGS] = t; sigCounts[sigAt % SIGS] = sigDraws;
    sigAt++;
    seen.lastDraw = t;
    sig = 0; sigDraws = 0;
  }

  function ranFrame() {
    const t = now();
    seen.frames++;
    frameTimes[frameTimeAt++ % 128] = t;
    seen.lastFrame = t;
  }
  let lastRun = -1;
  wrap(G, 'requestAnimationFrame', (original) => ({
    requestAnimationFrame(callback) {
      if (!on || typeof callback !== 'function') return apply(original, this, arguments);
      seen.framesRequested++;
      seen.framesPending++;
      const watched = (t) => {
        seen.framesPending--;
        if (t !== lastRun) { lastRun = t; ranFrame(); }
        try { return apply(callback, undefined, [t]); } finally { endOfTurn(); }
      };
      return apply(original, this, [watched]);
    },
  }.requestAnimationFrame));

  for (const name of ['setTimeout', 'setInterval']) {
    wrap(G, name, (original) => ({
      [name](callback, delay, ...rest) {
        if (!on || typeof callback !== 'function') return apply(original, this, arguments);
        if (name === 'setInterval') seen.intervals++; else seen.timersAlive++;
        const watched = function () {
          seen.timersRun++;
          if (name === 'setTimeout') seen.timersAlive--;
          try { return apply(callback, this, arguments); } finally { endOfTurn(); }
        };
        return apply(original, this, [watched, delay, ...rest]);
      },
    }[name]));
  }

  // ---- 2D contexts ------------------------------------------------------------
  const texts = new WM();   // canvas -> Map(text|x|y -> entry)
  const blits = new WM();   // canvas -> Map(source canvas -> mapping)
  const images = new WM();  // canvas -> Map(key -> entry)
  const MAX_TEXTS = 300;

  function entriesOf(store, canvas) {
    let m = store.get(canvas);
    if (!m) { m = new M(); store.set(canvas, m); }
    return m;
  }

  const C2 = G.CanvasRenderingContext2D && CanvasRenderingContext2D.prototype;
  const OC2 = G.OffscreenCanvasRenderingContext2D && OffscreenCanvasRenderingContext2D.prototype;
  const nativeOf = (proto, name) => proto && descriptorOf(proto, name) && descriptorOf(proto, name).value;

  function noteText(proto, natives, ctx, text, x, y, maxWidth) {
    seen.textPaints++;
    text = '' + text;
    if (!text.trim()) return;
    const canvas = apply(natives.canvas, ctx, []);
    const m = entriesOf(texts, canvas);
    const t = now();
    const tr = apply(natives.getTransform, ctx, []);
    const px = tr.a * x + tr.c * y + tr.e, py = tr.b * x + tr.d * y + tr.f;
    const key = text.length > 200 ? text.slice(0, 200) : text;
    const slot = key + '|' + Math.round(px / 24) + '|' + Math.round(py / 24);
    let e = m.get(slot);
    if (!e) {
      if (m.size >= MAX_TEXTS) forgetOldest(m, t);
      const width = apply(natives.measureText, ctx, [text]).width;
      const size = parseFloat((/(\d+(?:\.\d+)?)px/.exec(apply(natives.font, ctx, [])) || [0, 12])[1]);
      const sx = Math.hypot(tr.a, tr.b), sy = Math.hypot(tr.c, tr.d);
      e = { text: key, first: t, last: t, count: 0, w: Math.min(width, maxWidth || Infinity) * sx, h: size * sy,
        align: apply(natives.textAlign, ctx, []), baseline: apply(natives.textBaseline, ctx, []), x: px, y: py };
      m.set(slot, e);
    }
    e.last = t; e.count++; e.x = px; e.y = py;
  }

  function forgetOldest(m, t) {
    let oldest, when = Infinity;
    for (const [k, e] of m) if (e.last < when) { when = e.last; oldest = k; }
    if (oldest !== undefined) m.delete(oldest);
  }

  function noteImage(natives, ctx, source, a) {
    let dx = a[1], dy = a[2], dw, dh, sx = 0, sy = 0, sw, sh;
    if (a.length >= 9) { sx = a[1]; sy = a[2]; sw = a[3]; sh = a[4]; dx = a[5]; dy = a[6]; dw = a[7]; dh = a[8]; }
    else { sw = source.width; sh = source.height; dw = a.length >= 5 ? a[3] : sw; dh = a.length >= 5 ? a[4] : sh; }
    const isCanvas = (G.HTMLCanvasElement && source instanceof HTMLCanvasElement) || (G.OffscreenCanvas && source instanceof OffscreenCanvas);
    if (!isCanvas && !(dw >= 40 && dh >= 20 && dw <= 700 && dh <= 400)) return;
    const canvas = apply(natives.canvas, ctx, []);
    const tr = apply(natives.getTransform, ctx, []);
    const px = tr.a * dx + tr.c * dy + tr.e, py = tr.b * dx + tr.d * dy + tr.f;
    const kx = tr.a * dw / (sw || 1), ky = tr.d * dh / (sh || 1);
    const t = now();
    if (isCanvas && texts.has(source)) {
      const m = entriesOf(blits, canvas);
      if (m.size < 64 || m.has(source)) m.set(source, { x: px - sx * kx, y: py - sy * ky, kx, ky, last: t });
      return;
    }
    const w = Math.abs(tr.a * dw), h = Math.abs(tr.d * dh);
    const m = entriesOf(images, canvas);
    const key = Math.round(px / 8) + '|' + Math.round(py / 8) + '|' + Math.round(w) + '|' + Math.round(h);
    const e = m.get(key);
    if (e) { e.last = t; e.count++; return; }
    if (m.size >= 128) forgetOldest(m, t);
    m.set(key, { x: px, y: py, w, h, first: t, last: t, count: 1 });
  }

  function watch2D(proto) {
    if (!proto) return;
    const getter = (name) => { const d = descriptorOf(proto, name); return d && d.get; };
    const natives = {
      canvas: getter('canvas'), font: getter('font'), textAlign: getter('textAlign'), textBaseline: getter('textBaseline'),
      getTransform: nativeOf(proto, 'getTransform'), measureText: nativeOf(proto, 'measureText'),
    };
    let code = 1;
    const shape = (name) => {
      const id = code++;
      wrap(proto, name, (original) => ({
        [name](a, b, c, d, e, f) {
          if (on) { mix(id); mixNumber(a); mixNumber(b); mixNumber(c); mixNumber(d); mixNumber(e); mixNumber(f); }
          return apply(original, this, arguments);
        },
      }[name]));
    };
    ['translate', 'rotate', 'scale', 'transform', 'setTransform', 'moveTo', 'lineTo', 'arc', 'arcTo', 'rect', 'ellipse',
      'quadraticCurveTo', 'bezierCurveTo', 'roundRect'].forEach(shape);
    const paint = (name, note) => {
      const id = code++;
      wrap(proto, name, (original) => ({
        [name](a, b, c, d, e, f) {
          if (on) {
            seen.draws++; sigDraws++;
            mix(id); mixNumber(a); mixNumber(b); mixNumber(c); mixNumber(d); mixNumber(e); mixNumber(f);
            if (note) note(this, arguments);
          }
          return apply(original, this, arguments);
        },
      }[name]));
    };
    paint('fillRect'); paint('strokeRect'); paint('fill'); paint('stroke'); paint('putImageData');
    const quietly = (f) => (ctx, a) => { try { f(ctx, a); } catch { /* the game's own call will complain, if at all */ } };
    paint('fillText', quietly((ctx, a) => noteText(proto, natives, ctx, a[0], +a[1], +a[2], +a[3])));
    paint('strokeText', quietly((ctx, a) => noteText(proto, natives, ctx, a[0], +a[1], +a[2], +a[3])));
    paint('drawImage', quietly((ctx, a) => {
      if (a.length >= 9) { mixNumber(a[6]); mixNumber(a[7]); mixNumber(a[8]); }
      if (a[0]) noteImage(natives, ctx, a[0], a);
    }));
    wrap(proto, 'clearRect', (original) => ({
      clearRect() { if (on) seen.clears++; return apply(original, this, arguments); },
    }.clearRect));
  }
  watch2D(C2);
  watch2D(OC2);

  // ---- WebGL and WebGPU ---------------------------------------------------------
  function watchGL(proto) {
    if (!proto) return;
    const infoLog = nativeOf(proto, 'getShaderInfoLog'), programLog = nativeOf(proto, 'getProgramInfoLog');
    let code = 100;
    for (const name of ['drawArrays', 'drawElements', 'drawArraysInstanced', 'drawElementsInstanced', 'drawRangeElements', 'clear']) {
      const id = code++;
      wrap(proto, name, (original) => ({
        [name](a, b, c, d, e) {
          if (on) {
            if (name !== 'clear') { seen.draws++; sigDraws++; }
            mix(id); mixNumber(a); mixNumber(b); mixNumber(c); mixNumber(d); mixNumber(e);
          }
          return apply(original, this, arguments);
        },
      }[name]));
    }
    for (const name of ownKeys(proto)) {
      if (typeof name !== 'string' || !/^uniform(\d|Matrix)/.test(name)) continue;
      const id = code++;
      wrap(proto, name, (original) => ({
        [name](a, b, c, d, e) {
          if (on) {
            mix(id); mixNumber(b); mixNumber(c); mixNumber(d); mixNumber(e);
            const v = typeof c === 'object' && c ? c : typeof b === 'object' && b ? b : null;
            if (v) for (let i = 0, n = v.length < 16 ? v.length : 16; i < n; i++) mix((v[i] * 256) | 0);
          }
          return apply(original, this, arguments);
        },
      }[name]));
    }
    for (const name of ['bufferData', 'bufferSubData']) {
      const id = code++;
      wrap(proto, name, (original) => ({
        [name](a, b, c) {
          if (on) {
            mix(id);
            const v = ArrayBuffer.isView(b) ? b : ArrayBuffer.isView(c) ? c : null;
            if (v && v.length) { const step = v.length > 64 ? (v.length / 64) | 0 : 1; for (let i = 0; i < v.length; i += step) mix((v[i] * 64) | 0); }
          }
          return apply(original, this, arguments);
        },
      }[name]));
    }
    wrap(proto, 'getShaderParameter', (original) => ({
      getShaderParameter(shader, which) {
        const r = apply(original, this, arguments);
        if (on && which === 0x8B81 && r === false && shaderErrors.length < 8) shaderErrors[shaderErrors.length] = 'shader: ' + apply(infoLog, this, [shader]);
        return r;
      },
    }.getShaderParameter));
    wrap(proto, 'getProgramParameter', (original) => ({
      getProgramParameter(program, which) {
        const r = apply(original, this, arguments);
        if (on && which === 0x8B82 && r === false && shaderErrors.length < 8) shaderErrors[shaderErrors.length] = 'link: ' + apply(programLog, this, [program]);
        return r;
      },
    }.getProgramParameter));
  }
  watchGL(G.WebGLRenderingContext && WebGLRenderingContext.prototype);
  watchGL(G.WebGL2RenderingContext && WebGL2RenderingContext.prototype);

  function noteContext(canvas, kind, ctx) {
    const k = kind === 'experimental-webgl' ? 'webgl' : '' + kind;
    if (!ctx) { contexts['failed:' + k] = (contexts['failed:' + k] || 0) + 1; return; }
    for (const ref of canvases) if (ref.canvas.deref() === canvas) return;
    contexts[k] = (contexts[k] || 0) + 1;
    if (canvases.length < 256) canvases[canvases.length] = { canvas: new WeakRef(canvas), kind: k };
    if (/webgl/.test(k) && nativeAdd) {
      apply(nativeAdd, canvas, ['webglcontextlost', () => { seen.contextsLost++; }, true]);
      apply(nativeAdd, canvas, ['webglcontextrestored', () => { seen.contextsRestored++; }, true]);
    }
  }
  for (const C of [G.HTMLCanvasElement, G.OffscreenCanvas]) {
    wrap(C && C.prototype, 'getContext', (original) => ({
      getContext(kind) {
        const ctx = apply(original, this, arguments);
        if (on) noteContext(this, kind, ctx);
        return ctx;
      },
    }.getContext));
  }
  wrap(G.HTMLCanvasElement && HTMLCanvasElement.prototype, 'transferControlToOffscreen', (original) => ({
    transferControlToOffscreen() {
      const r = apply(original, this, arguments);
      if (on) noteContext(this, 'offscreen', r);
      return r;
    },
  }.transferControlToOffscreen));

  // ---- input ------------------------------------------------------------------------
  const INPUT = /^(key(down|up|press)|(mouse|pointer)(down|up|move|over|enter|out|leave)|click|dblclick|auxclick|contextmenu|touch(start|move|end|cancel)|wheel|mousewheel|drag|dragstart|dragover|dragend|dragenter|drop|input|beforeinput|change|submit|gamepadconnected|devicemotion|deviceorientation)$/;
  const WATCHED = ['keydown', 'keyup', 'keypress', 'mousedown', 'mouseup', 'mousemove', 'click', 'dblclick', 'pointerdown', 'pointerup',
    'pointermove', 'touchstart', 'touchend', 'touchmove', 'wheel', 'dragstart', 'drop', 'input'];

  function arrived(e) {
    if (!e.isTrusted || !on) return;
    delivered[e.type] = (delivered[e.type] || 0) + 1;
    lastEvents[lastEvents.length] = e;
    if (lastEvents.length > 24) lastEvents.splice(0, 12);
  }
  function attend() {
    if (!nativeAdd || !hasDOM) return;
    // Adding the same listener again is a no-op, so this also mends document.open().
    for (const type of WATCHED) apply(nativeAdd, G, [type, arrived, { capture: true, passive: true }]);
  }
  attend();

  const isTrusted = (e) => { try { return e.isTrusted; } catch { return false; } };
  const noteRead = (e) => { if (on && isTrusted(e)) { const t = e.type; reads[t] = (reads[t] || 0) + 1; } };
  for (const [C, names] of [
    [G.KeyboardEvent, ['key', 'code', 'keyCode', 'which', 'charCode']],
    [G.UIEvent, ['which']],
    [G.MouseEvent, ['clientX', 'clientY', 'pageX', 'pageY', 'offsetX', 'offsetY', 'x', 'y', 'screenX', 'screenY', 'button', 'buttons', 'movementX', 'movementY']],
    [G.TouchEvent, ['touches', 'changedTouches', 'targetTouches']],
  ]) for (const name of names) wrapGetter(C && C.prototype, name, noteRead);
  wrap(G.Event && Event.prototype, 'preventDefault', (original) => ({
    preventDefault() {
      if (on && isTrusted(this)) { const t = this.type; prevented[t] = (prevented[t] || 0) + 1; }
      return apply(original, this, arguments);
    },
  }.preventDefault));

  function describe(target) {
    if (target === G || target === null || target === undefined) return 'window';
    if (hasDOM && target === document) return 'document';
    try {
      if (target.nodeType === 1) {
        let s = target.localName;
        if (target.id) s += '#' + target.id;
        else if (typeof target.className === 'string' && target.className) s += '.' + target.className.trim().split(/\s+/)[0];
        return s;
      }
    } catch { /* a hostile object */ }
    return 'other';
  }

  let stacks = 0;
  wrap(G.EventTarget && EventTarget.prototype, 'addEventListener', (original) => ({
    addEventListener(type, listener) {
      if (on && listener && typeof type === 'string' && INPUT.test(type)) noteListener(this, type);
      return apply(original, this, arguments);
    },
  }.addEventListener));
  const listened = new WM(); // element -> set of types, for finding clickable things
  const listenedRefs = [];
  function noteListener(target, type) {
    const where = describe(target);
    const key = type + '|' + where;
    if (/^device/.test(type)) seen.motion++;
    if (where !== 'window' && where !== 'document' && target && typeof target === 'object') {
      let types = listened.get(target);
      if (!types) {
        types = { __proto__: null };
        listened.set(target, types);
        if (listenedRefs.length < 3000) listenedRefs[listenedRefs.length] = new WeakRef(target);
      }
      types[type] = true;
    }
    const known = listeners.get(key);
    if (known) { known.count++; return; }
    if (listeners.size >= 400) return;
    let at = '';
    if (stacks++ < 200) {
      const lines = ('' + new nativeError().stack).split('\n');
      for (let i = 3; i < lines.length; i++) { const m = /(?:\(|at )([^\s()]+:\d+:\d+)\)?$/.exec(lines[i]); if (m) { at = m[1]; break; } }
    }
    listeners.set(key, { type, target: where, count: 1, at });
  }

  // ---- everything else a page may ask for -----------------------------------------------
  const count = (owner, name, field) => wrap(owner, name, (original) => ({
    [name]() { if (on) seen[field]++; return apply(original, this, arguments); },
  }[name]));
  count(G.Storage && Storage.prototype, 'setItem', 'storage');
  count(G.Element && Element.prototype, 'requestPointerLock', 'pointerLock');
  count(G.Element && Element.prototype, 'requestFullscreen', 'fullscreen');
  count(G.Navigator && Navigator.prototype, 'getGamepads', 'gamepads');
  count(G.MediaDevices && MediaDevices.prototype, 'getUserMedia', 'media');
  count(G.HTMLMediaElement && HTMLMediaElement.prototype, 'play', 'audioPlays');
  if (G.WebAssembly) for (const name of ['instantiate', 'instantiateStreaming', 'compile', 'compileStreaming']) count(WebAssembly, name, 'wasm');
  const construct = (name, note) => {
    const d = descriptorOf(G, name);
    if (!d || typeof d.value !== 'function' || !d.configurable) return;
    const original = d.value;
    const wrapped = new Proxy(original, {
      construct(target, args, newTarget) {
        const made = Reflect.construct(target, args, newTarget === wrapped ? target : newTarget);
        if (on) note(made);
        return made;
      },
    });
    originals.set(wrapped, original);
    d.value = wrapped;
    defineProperty(G, name, d);
    const c = descriptorOf(original.prototype, 'constructor');
    if (c && c.configurable) { c.value = wrapped; defineProperty(original.prototype, 'constructor', c); }
  };
  construct('AudioContext', (a) => { if (audio.length < 16) audio[audio.length] = new WeakRef(a); });
  construct('Worker', () => { seen.workers++; });
  wrap(G.Element && Element.prototype, 'attachShadow', (original) => ({
    attachShadow() {
      const root = apply(original, this, arguments);
      if (shadowRoots.length < 2000) shadowRoots[shadowRoots.length] = new WeakRef(root);
      if (on && observer) observer.observe(root, OBSERVE);
      return root;
    },
  }.attachShadow));

  const OBSERVE = { subtree: true, childList: true, characterData: true, attributes: true };
  let observer = null;
  if (hasDOM && G.MutationObserver) {
    observer = new MutationObserver((records) => {
      seen.mutations += records.length;
      seen.lastMutation = now();
      for (let i = 0; i < records.length && i < 50; i++) if (records[i].type !== 'attributes') seen.textMutations++;
    });
    observer.observe(document, OBSERVE);
    // Errors of elements do not bubble; a capturing listener sees them.
    apply(nativeAdd, G, ['error', (e) => {
      const t = e.target;
      if (t && t !== G && t.nodeType === 1) { if (decodeErrors.length < 32) decodeErrors[decodeErrors.length] = t.localName + ' ' + (t.currentSrc || t.src || t.href || ''); }
      else seen.errors++;
    }, true]);
    apply(nativeAdd, G, ['unhandledrejection', () => { seen.unhandled++; }, true]);
  }
  if (G.PerformanceObserver) {
    try {
      new PerformanceObserver((list) => {
        for (const e of list.getEntries()) {
          seen.longTasks++; seen.longTaskTime += e.duration; seen.lastLongTask = e.startTime + e.duration;
          if (e.duration > seen.longestTask) seen.longestTask = e.duration;
        }
      }).observe({ type: 'longtask', buffered: true });
    } catch { /* workers have none */ }
  }

  // ---- reading ----------------------------------------------------------------------------
  const copy = (o) => { const r = {}; for (const k of ownKeys(o)) r[k] = o[k]; return r; };

  function canvasList() {
    const list = [];
    for (const { canvas: ref, kind } of canvases) {
      const c = ref.deref();
      if (!c || !c.isConnected) continue;
      const r = c.getBoundingClientRect();
      const s = getComputedStyle(c);
      list.push({ kind, width: c.width, height: c.height, x: r.x, y: r.y, w: r.width, h: r.height, shown: visible(c, s) });
    }
    return list;
  }

  function visible(el, s) {
    if (el.checkVisibility && !el.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    return (s || getComputedStyle(el)).visibility !== 'hidden';
  }

  // paintedTexts gives every text that was painted lately with its place in this frame's viewport.
  function paintedTexts(maxAge) {
    const t = now(), out = [];
    const place = (canvas, map, ox, oy, kx, ky, rect, depth, newest) => {
      for (const e of map.values()) {
        if (out.length >= 200) return;
        // A still canvas is painted once: its last paint is as fresh as the canvas itself.
        if (t - e.last > maxAge && newest - e.last > 100) continue;
        let x = e.x, y = e.y;
        if (e.align === 'center') x -= e.w / 2; else if (e.align === 'right' || e.align === 'end') x -= e.w;
        if (e.baseline === 'middle') y -= e.h / 2; else if (e.baseline !== 'top' && e.baseline !== 'hanging') y -= e.h * 0.8;
        out.push({ text: e.text, x: rect.x + (ox + x * kx) * rect.kx, y: rect.y + (oy + y * ky) * rect.ky, w: e.w * kx * rect.kx, h: e.h * ky * rect.ky, age: t - e.first, count: e.count, last: t - e.last });
      }
      const from = blits.get(canvas);
      if (from && depth < 3) for (const [source, b] of from) {
        const m = texts.get(source);
        if (m) place(source, m, ox + b.x * kx, oy + b.y * ky, kx * b.kx, ky * b.ky, rect, depth + 1, Infinity);
      }
    };
    for (const { canvas: ref } of canvases) {
      const c = ref.deref();
      if (!c || !c.isConnected || !c.getBoundingClientRect) continue;
      const r = c.getBoundingClientRect();
      if (!r.width || !r.height || !c.width) continue;
      const rect = { x: r.x, y: r.y, kx: r.width / c.width, ky: r.height / c.height };
      let newest = 0;
      const own = texts.get(c) || new M();
      for (const e of own.values()) if (e.last > newest) newest = e.last;
      place(c, own, 0, 0, 1, 1, rect, 0, newest);
    }
    return out;
  }

  function paintedImages(maxAge) {
    const t = now(), out = [];
    for (const { canvas: ref } of canvases) {
      const c = ref.deref(), m = c && images.get(c);
      if (!m || !c.isConnected || !c.getBoundingClientRect) continue;
      const r = c.getBoundingClientRect();
      if (!r.width || !c.width) continue;
      const kx = r.width / c.width, ky = r.height / c.height;
      for (const e of m.values()) {
        if (t - e.last > maxAge || out.length >= 64) continue;
        out.push({ x: r.x + e.x * kx, y: r.y + e.y * ky, w: e.w * kx, h: e.h * ky, age: t - e.first, count: e.count });
      }
    }
    return out;
  }

  function read(options) {
    attend();
    endOfTurn();
    const t = now();
    const state = copy(seen);
    state.now = t;
    const n = Math.min(frameTimeAt, 128);
    state.fps = 0;
    if (n > 1) {
      const newest = frameTimes[(frameTimeAt - 1) % 128];
      let k = 0;
      for (let i = 1; i <= n; i++) if (newest - frameTimes[(frameTimeAt - i) % 128 + (frameTimeAt - i < 0 ? 128 : 0)] <= 1000) k++;
      state.fps = t - newest > 1000 ? 0 : Math.max(0, k - 1);
    }
    if (hasDOM) { state.scrollX = G.scrollX; state.scrollY = G.scrollY; }
    state.turns = sigAt;
    state.sigs = [];
    const since = options && options.since || 0;
    for (let i = Math.max(0, sigAt - SIGS); i < sigAt; i++) if (sigTimes[i % SIGS] >= since) state.sigs.push(sigs[i % SIGS]);
    state.delivered = copy(delivered);
    state.reads = copy(reads);
    state.prevented = copy(prevented);
    state.defaultPrevented = 0;
    for (const e of lastEvents) if (e.defaultPrevented) state.defaultPrevented++;
    state.audioStates = [];
    for (const ref of audio) { const a = ref.deref(); if (a) state.audioStates.push(a.state); }
    if (!options || !options.brief) {
      state.contexts = copy(contexts);
      state.shaderErrors = shaderErrors.slice();
      state.decodeErrors = decodeErrors.slice();
      state.listeners = [...listeners.values()].map(copy);
      if (hasDOM) {
        state.canvases = canvasList();
        state.texts = paintedTexts(options && options.maxAge || 700);
        state.images = paintedImages(700);
        state.readyState = document.readyState;
        state.title = document.title;
      }
    } else if (hasDOM && options.texts) {
      state.texts = paintedTexts(options.maxAge || 700);
    }
    return state;
  }

  defineProperty(G, SLOT, {
    value: Object.freeze({
      __proto__: null, read, visible, shadowRoots, listened, listenedRefs, canvases,
      off() { on = false; if (observer) observer.disconnect(); },
    }),
    enumerable: false, configurable: false, writable: false,
  });
})();
