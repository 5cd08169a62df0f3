// ---- frames, timers and what they draw ----------------------------------------
// A turn's signature mixes the calls and numbers it drew with. Equal signatures
// mean equal pictures, for the price of an addition per call.
let sigDraws = 0, turns = 0;
const sig = new Int32Array(1); // a variable of this size would be allocated anew at every change
const SIGS = 256;
const sigs = new Int32Array(SIGS);
const sigTimes = new Float64Array(SIGS);

function step(h, n) { h = ((h << 5) - h + n) | 0; return h ^ (h >>> 13); }
function stepValue(h, v) {
  if (typeof v === 'number') return step(h, (v * 64) | 0);
  if (typeof v === 'string') { for (let i = 0; i < v.length && i < 32; i++) h = step(h, charCodeAt(v, i)); }
  return h;
}
function mix(n) { sig[0] = step(sig[0], n); }
function mixValue(v) { sig[0] = stepValue(sig[0], v); }
function mixCall(code, a, b, c, d, e, f) {
  let h = stepValue(step(sig[0], code), a);
  if (b !== undefined) { h = stepValue(h, b); h = stepValue(h, c); h = stepValue(h, d); }
  if (e !== undefined) { h = stepValue(h, e); h = stepValue(h, f); }
  sig[0] = h;
}
function endOfTurn() {
  if (sigDraws === 0) return;
  seen.lastDraw = now();
  sigs[turns % SIGS] = sig[0]; sigTimes[turns % SIGS] = seen.lastDraw;
  turns++;
  sig[0] = 0; sigDraws = 0;
}

const FRAMES = 256;
const frameTimes = new Float64Array(FRAMES);
let lastStamp = -1;

wrap(holder('requestAnimationFrame'), 'requestAnimationFrame', (original) => ({
  requestAnimationFrame(callback) {
    if (!on || typeof callback !== 'function') {
      try { return apply(original, this, arguments); } catch (e) { throw scrub(e); }
    }
    seen.framesRequested++;
    const watched = (stamp) => {
      if (stamp !== lastStamp) {
        // Several callbacks make one frame.
        lastStamp = stamp;
        seen.lastFrame = now();
        frameTimes[seen.frames++ % FRAMES] = seen.lastFrame;
      }
      try { return apply(callback, undefined, [stamp]); } finally { endOfTurn(); }
    };
    try { return apply(original, this, [watched]); } catch (e) { throw scrub(e); }
  },
}.requestAnimationFrame));

// Ids of timers that will still run. A worker gets its timers after us, so there they go unseen.
const timers = new OwnSet();
for (const name of ['setTimeout', 'setInterval']) {
  const once = name === 'setTimeout';
  wrap(holder(name), name, (original) => ({
    [name](callback) {
      if (!on || typeof callback !== 'function') {
        try { return apply(original, this, arguments); } catch (e) { throw scrub(e); }
      }
      if (!once) seen.intervals++;
      const args = list();
      for (let i = 0; i < arguments.length; i++) args[i] = arguments[i];
      args[0] = function () {
        seen.timersRun++;
        if (once) timers.delete(id);
        try { return apply(callback, this, arguments); } finally { endOfTurn(); }
      };
      let id;
      try { id = apply(original, this, args); } catch (e) { throw scrub(e); }
      timers.add(id);
      return id;
    },
  }[name]));
}
for (const name of ['clearTimeout', 'clearInterval']) before(holder(name), name, (_, args) => { timers.delete(args[0]); });

// ---- 2D contexts -------------------------------------------------------------------
const MAX_TEXTS = 300, MAX_IMAGES = 128, MAX_BLITS = 64;
const texts = new OwnWeakMap();   // canvas -> its texts by what and where
const images = new OwnWeakMap();  // canvas -> its images by place
const blits = new OwnWeakMap();   // canvas -> canvases painted onto it
const painted = new OwnWeakMap(); // canvas -> the turns in which something was painted on it
let current = null, currentContext, currentTurn = -1;

// notePaint is called when a turn paints on another context than the call before.
// Images are noted ten times a second, which is enough to find the buttons among them.
const notePaint = quietly((natives, ctx) => {
  currentContext = ctx; currentTurn = turns;
  const canvas = natives.canvas(ctx);
  current = painted.get(canvas);
  if (!current) { current = { __proto__: null, turns: 0, turn: -1, noted: -Infinity, noting: true }; painted.set(canvas, current); }
  if (current.turn === turns) return;
  const t = now();
  current.turn = turns;
  current.turns++;
  current.noting = t - current.noted > 100;
  if (current.noting) current.noted = t;
});

function entriesOf(store, canvas) {
  let m = store.get(canvas);
  if (!m) { m = new OwnMap(); store.set(canvas, m); }
  return m;
}
function forgetOldest(m) {
  let oldest, when = Infinity;
  m.forEach((e, k) => { if (e.last < when) { when = e.last; oldest = k; } });
  m.delete(oldest);
}

// bounds is the box that a rectangle takes up after a transform.
function bounds(m, x, y, w, h) {
  const bw = abs(m.a) * w + abs(m.c) * h, bh = abs(m.b) * w + abs(m.d) * h;
  const cx = x + w / 2, cy = y + h / 2;
  return { __proto__: null, x: m.a * cx + m.c * cy + m.e - bw / 2, y: m.b * cx + m.d * cy + m.f - bh / 2, w: bw, h: bh };
}

const FONT_SIZE = /(\d+(?:\.\d+)?)px/;
const RISE = { __proto__: null, top: 0, hanging: 0, middle: 0.5, bottom: 1, ideographic: 1, alphabetic: 0.8 };

function noteText(natives, ctx, a) {
  seen.textPaints++;
  let text = a[0];
  const x = a[1], y = a[2], maxWidth = a[3];
  // Objects would be asked for their value twice.
  if (typeof text === 'number') text = '' + text;
  if (typeof text !== 'string' || typeof x !== 'number' || typeof y !== 'number' || !trim(text)) return;
  const m = apply(natives.getTransform, ctx, []);
  const t = now();
  const canvas = natives.canvas(ctx);
  if (!kinds.has(canvas)) noteContext(canvas, '2d', ctx); // it was there before us
  const entries = entriesOf(texts, canvas);
  const shown = text.length > 200 ? slice(text, 0, 200) : text;
  const key = shown + '|' + round((m.a * x + m.c * y + m.e) / 24) + '|' + round((m.b * x + m.d * y + m.f) / 24);
  let e = entries.get(key);
  if (!e) {
    if (entries.size >= MAX_TEXTS) forgetOldest(entries);
    const measured = apply(natives.measureText, ctx, [text]).width;
    const width = typeof maxWidth === 'number' ? min(measured, maxWidth) : measured;
    const font = match(FONT_SIZE, natives.font(ctx));
    const size = font ? number(font[1]) : 12;
    const align = natives.textAlign(ctx);
    const rise = RISE[natives.textBaseline(ctx)];
    e = {
      __proto__: null, text: shown, first: t, count: 0, width, size,
      left: align === 'center' ? width / 2 : align === 'right' || align === 'end' ? width : 0, above: size * rise,
    };
    entries.set(key, e);
  }
  e.last = t;
  e.turn = current.turns;
  e.count++;
  e.box = bounds(m, x - e.left, y - e.above, e.width, e.size);
}

function noteImage(natives, ctx, a) {
  const n = a.length;
  if (n >= 9) { mixValue(a[6]); mixValue(a[7]); mixValue(a[8]); }
  if (!current.noting) return;
  for (let i = 1; i < n; i++) if (typeof a[i] !== 'number') return;
  const source = a[0];
  const isCanvas = (HTMLCanvasElement && source instanceof HTMLCanvasElement) || (OffscreenCanvas && source instanceof OffscreenCanvas);
  const written = isCanvas && (texts.has(source) || blits.has(source));
  // An element's width would make the page lay itself out.
  const sw = n >= 9 ? a[3] : source.naturalWidth || source.videoWidth || source.width;
  const sh = n >= 9 ? a[4] : source.naturalHeight || source.videoHeight || source.height;
  const dx = n >= 9 ? a[5] : a[1], dy = n >= 9 ? a[6] : a[2];
  const dw = n >= 9 ? a[7] : n >= 5 ? a[3] : sw, dh = n >= 9 ? a[8] : n >= 5 ? a[4] : sh;
  if (!written && !(dw >= 40 && dh >= 20 && dw <= 700 && dh <= 400)) return;
  const canvas = natives.canvas(ctx);
  const m = apply(natives.getTransform, ctx, []);
  const t = now();
  if (written) {
    const kx = m.a * dw / (sw || 1), ky = m.d * dh / (sh || 1);
    const sx = n >= 9 ? a[1] : 0, sy = n >= 9 ? a[2] : 0;
    const entries = entriesOf(blits, canvas);
    if (entries.size >= MAX_BLITS && !entries.has(source)) forgetOldest(entries);
    entries.set(source, { __proto__: null, x: m.a * dx + m.c * dy + m.e - sx * kx, y: m.b * dx + m.d * dy + m.f - sy * ky, kx, ky, last: t, turn: current.turns });
    return;
  }
  const box = bounds(m, dx, dy, dw, dh);
  const key = round(box.x / 8) + '|' + round(box.y / 8) + '|' + round(box.w) + '|' + round(box.h);
  const entries = entriesOf(images, canvas);
  const e = entries.get(key);
  if (e) { e.last = t; e.turn = current.turns; e.count++; return; }
  if (entries.size >= MAX_IMAGES) forgetOldest(entries);
  entries.set(key, { __proto__: null, box, first: t, last: t, turn: current.turns, count: 1 });
}

function watch2D(proto) {
  if (!proto) return;
  const natives = { __proto__: null, getTransform: method(proto, 'getTransform'), measureText: method(proto, 'measureText') };
  for (const name of ['canvas', 'font', 'textAlign', 'textBaseline']) natives[name] = read1(proto, name);
  let id = 1;
  for (const name of ['translate', 'rotate', 'scale', 'transform', 'setTransform', 'moveTo', 'lineTo', 'arc', 'arcTo', 'rect', 'ellipse',
    'quadraticCurveTo', 'bezierCurveTo', 'roundRect']) {
    const code = id++;
    wrap(proto, name, (original) => ({
      [name](a, b, c, d, e, f) {
        if (on) mixCall(code, a, b, c, d, e, f);
        try { return apply(original, this, arguments); } catch (x) { throw scrub(x); }
      },
    }[name]));
  }
  for (const name of ['fillRect', 'strokeRect', 'fill', 'stroke', 'putImageData']) {
    const code = id++;
    wrap(proto, name, (original) => ({
      [name](a, b, c, d, e, f) {
        if (on) {
          mixCall(code, a, b, c, d, e, f);
          seen.draws++; sigDraws++;
          if (this !== currentContext || turns !== currentTurn) notePaint(natives, this);
        }
        try { return apply(original, this, arguments); } catch (x) { throw scrub(x); }
      },
    }[name]));
  }
  const noted = (name, note) => {
    const code = id++;
    wrap(proto, name, (original) => ({
      [name](a, b, c, d, e, f) {
        if (on) {
          mixCall(code, a, b, c, d, e, f);
          seen.draws++; sigDraws++;
          if (this !== currentContext || turns !== currentTurn) notePaint(natives, this);
          try { note(natives, this, arguments); } catch { /* a call that fails by itself */ }
        }
        try { return apply(original, this, arguments); } catch (x) { throw scrub(x); }
      },
    }[name]));
  };
  noted('fillText', noteText);
  noted('strokeText', noteText);
  noted('drawImage', noteImage);
}
watch2D(protoOf('CanvasRenderingContext2D'));
watch2D(protoOf('OffscreenCanvasRenderingContext2D'));

// ---- WebGL and WebGPU ----------------------------------------------------------------
const shaderErrors = list();

// GL code numbers begin where those of 2D end.
let glCode = 100;
function watchDraw(proto, name, paints) {
  const code = glCode++;
  wrap(proto, name, (original) => ({
    [name](a, b, c, d, e) {
      if (on) {
        mixCall(code, a, b, c, d, e);
        if (paints) { seen.draws++; sigDraws++; }
      }
      try { return apply(original, this, arguments); } catch (x) { throw scrub(x); }
    },
  }[name]));
}
function mixArray(v, n) {
  const stride = v.length > n ? (v.length / n) | 0 : 1;
  let h = sig[0];
  for (let i = 0; i < v.length; i += stride) h = step(h, (v[i] * 256) | 0);
  sig[0] = h;
}

const COMPILE_STATUS = 0x8B81, LINK_STATUS = 0x8B82;
const EXTENSION_DRAWS = ['drawArraysInstancedANGLE', 'drawElementsInstancedANGLE', 'multiDrawArraysWEBGL', 'multiDrawElementsWEBGL',
  'multiDrawArraysInstancedWEBGL', 'multiDrawElementsInstancedWEBGL'];
const extensions = new OwnSet();

function watchGL(proto) {
  if (!proto) return;
  for (const name of ['drawArrays', 'drawElements', 'drawArraysInstanced', 'drawElementsInstanced', 'drawRangeElements']) watchDraw(proto, name, true);
  watchDraw(proto, 'clear', false);
  for (const name of ownKeys(proto)) {
    if (typeof name !== 'string' || !/^uniform(\d|Matrix)/.test(name)) continue;
    const code = glCode++;
    before(proto, name, (_, a) => {
      mix(code);
      for (let i = 1; i < a.length; i++) {
        if (isView(a[i]) || (typeof a[i] === 'object' && a[i] && a[i].length)) mixArray(a[i], 16); else mixValue(a[i]);
      }
    });
  }
  for (const name of ['bufferData', 'bufferSubData']) {
    const code = glCode++;
    before(proto, name, (_, a) => {
      mix(code);
      const data = isView(a[1]) ? a[1] : isView(a[2]) ? a[2] : null;
      if (data && data.length) mixArray(data, 64);
    });
  }
  const logs = (name, status, what, infoLog) => after(proto, name, (ok, gl, a) => {
    if (a[1] === status && ok === false && shaderErrors.length < 8) push(shaderErrors, slice(what + apply(infoLog, gl, [a[0]]), 0, 2000));
  });
  logs('getShaderParameter', COMPILE_STATUS, 'shader: ', method(proto, 'getShaderInfoLog'));
  logs('getProgramParameter', LINK_STATUS, 'link: ', method(proto, 'getProgramInfoLog'));
  // The interfaces of extensions have no global name; they show with the first object.
  after(proto, 'getExtension', quietly((extension) => {
    const interfaceOf = extension && getPrototypeOf(extension);
    if (!interfaceOf || extensions.has(interfaceOf)) return;
    extensions.add(interfaceOf);
    for (const name of EXTENSION_DRAWS) watchDraw(interfaceOf, name, true);
  }));
}
watchGL(protoOf('WebGLRenderingContext'));
watchGL(protoOf('WebGL2RenderingContext'));
for (const owner of [protoOf('GPURenderPassEncoder'), protoOf('GPURenderBundleEncoder')]) {
  for (const name of ['draw', 'drawIndexed', 'drawIndirect', 'drawIndexedIndirect']) watchDraw(owner, name, true);
}

// ---- contexts ----------------------------------------------------------------------------
const contexts = record();         // kind -> how many canvases
const kinds = new OwnWeakMap();    // canvas -> kind of its context
const unseen = list();             // WeakRefs of a worker's canvases

const glSurfaces = list();         // canvases with WebGL, and whether their context is lost

// contextsMissing counts canvases without their context that ought to show something. Engines
// throw a context away with the canvas that they are done with.
function contextsMissing() {
  let n = 0;
  for (let i = 0; i < glSurfaces.length; i++) {
    const canvas = glSurfaces[i].lost && deref(glSurfaces[i].ref);
    if (canvas && (!hasDOM || visible(canvas))) n++;
  }
  return n;
}

function noteContext(canvas, kind, context) {
  if (kinds.has(canvas)) return;
  if (!context) { bump(contexts, 'failed:' + kind); return; }
  kinds.set(canvas, kind);
  bump(contexts, kind);
  if (!hasDOM && unseen.length < 16) push(unseen, new WeakRef(canvas));
  if (kind === 'webgl' || kind === 'webgl2') {
    const surface = { __proto__: null, ref: new WeakRef(canvas), lost: false };
    if (glSurfaces.length < 64) push(glSurfaces, surface);
    apply(listen, canvas, ['webglcontextlost', () => { surface.lost = true; seen.contextsLost++; }, true]);
    apply(listen, canvas, ['webglcontextrestored', () => { surface.lost = false; seen.contextsRestored++; }, true]);
  }
}
for (const owner of [protoOf('HTMLCanvasElement'), protoOf('OffscreenCanvas')]) {
  after(owner, 'getContext', quietly((context, canvas, a) => {
    const kind = a[0] === 'experimental-webgl' ? 'webgl' : a[0];
    if (typeof kind === 'string') noteContext(canvas, kind, context);
  }));
}
after(protoOf('HTMLCanvasElement'), 'transferControlToOffscreen', quietly((offscreen, canvas) => { noteContext(canvas, 'offscreen', offscreen); }));
