// A frame that nobody will see need not be painted, which is most of what a WebGL
// game costs without a graphics card. What is meant to stay is painted all the same.
// All twins skip the same, so what differs still differs because of an input.
const seen = 2; // the last frames, since some paint only every other
const sure = 20; // frames in a row that began with a wipe
let unseen = false, stepping = false, count = 0;
// A document that nobody will see need not be painted, either. It is made transparent by a
// sheet that observers of the document do not see.
const restyle = globalThis.CSSStyleSheet?.prototype.replaceSync, style = globalThis.getComputedStyle;
let cover = null;
Object.defineProperty(globalThis, '__playtestConceal', { value: (yes) => {
  if (!cover) cover = new CSSStyleSheet();
  if (yes && !document.adoptedStyleSheets.includes(cover)) document.adoptedStyleSheets = [...document.adoptedStyleSheets, cover];
  const apply = (rules) => {
    invoke(restyle, cover, [rules]);
    return invoke(style, globalThis, [document.documentElement]).opacity; // so that it is applied
  };
  apply(`html { ${yes ? 'opacity: 0 !important; ' : ''}transition: none !important }`);
  if (!yes) apply('');
} });
// unpainted are the surfaces whose last painting was skipped. Where one of them is looked
// at the game paints when it has something to show, and must be painted whenever it does.
const unpainted = new Set();
const skipped = (surface, skip) => {
  if (skip) unpainted.add(surface); else unpainted.delete(surface);
  return skip;
};
const glKinds = ['WebGLRenderingContext', 'WebGL2RenderingContext'];
for (const kind of glKinds) {
  const gl = globalThis[kind]?.prototype;
  if (!gl) continue;
  // Of each surface, the canvas or a framebuffer: whether it was wiped at the beginning
  // of each of the last frames.
  const bound = new WeakMap(), surfaces = new WeakMap(), kept = new WeakMap();
  const surface = (context) => {
    const on = bound.get(context) ?? context;
    let r = surfaces.get(on);
    if (!r) surfaces.set(on, (r = { frame: 0, wiped: 0 }));
    return r;
  };
  // keeps: what the context painted before is still used later.
  const keeps = (context) => {
    if (!kept.has(context)) kept.set(context, context.getContextAttributes()?.preserveDrawingBuffer ?? false);
    return kept.get(context);
  };
  const skips = (context, wipe) => {
    const r = surface(context);
    if (r.frame !== count) {
      r.wiped = wipe && count - r.frame <= seen ? r.wiped + 1 : 0;
      r.frame = count;
    }
    const steady = !(bound.get(context) || keeps(context)) || r.wiped > sure;
    return skipped(r, unseen && stepping && steady);
  };
  const bind = gl.bindFramebuffer;
  gl.bindFramebuffer = function (target, buffer) {
    if (buffer) bound.set(this, buffer); else bound.delete(this);
    return invoke(bind, this, [target, buffer]);
  };
  // present empties what was painted before, as the browser does once it has shown it: several
  // frames may be painted here before the browser comes to show one.
  const presented = new WeakMap(), { enable, disable, clear, colorMask, depthMask, stencilMask, clearColor, clearDepth, clearStencil } = gl;
  const present = (gl) => {
    const turn = stepping ? count : count + 1; // what an input paints is shown with the next frame
    if (bound.get(gl) || keeps(gl) || presented.get(gl) === turn) return;
    const first = !presented.has(gl), state = (name) => gl.getParameter(gl[name]);
    presented.set(gl, turn);
    if (first || gl.isContextLost()) return;
    const call = (method, ...args) => invoke(method, gl, args);
    const [color, depth, stencil] = ['COLOR_WRITEMASK', 'DEPTH_WRITEMASK', 'STENCIL_WRITEMASK'].map(state);
    const [toColor, toDepth, toStencil] = ['COLOR_CLEAR_VALUE', 'DEPTH_CLEAR_VALUE', 'STENCIL_CLEAR_VALUE'].map(state);
    const cut = gl.isEnabled(gl.SCISSOR_TEST);
    if (cut) call(disable, gl.SCISSOR_TEST);
    call(colorMask, true, true, true, true);
    call(depthMask, true);
    call(stencilMask, -1);
    call(clearColor, 0, 0, 0, 0);
    call(clearDepth, 1);
    call(clearStencil, 0);
    call(clear, gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    call(colorMask, ...color);
    call(depthMask, depth);
    call(stencilMask, stencil);
    call(clearColor, ...toColor);
    call(clearDepth, toDepth);
    call(clearStencil, toStencil);
    if (cut) call(enable, gl.SCISSOR_TEST);
  };
  const read = gl.readPixels;
  gl.readPixels = function (...args) {
    kept.set(this, true); // the game itself looks
    return invoke(read, this, args);
  };
  for (const name of ['clear', 'drawArrays', 'drawElements', 'drawArraysInstanced', 'drawElementsInstanced', 'drawRangeElements', 'blitFramebuffer']) {
    const draw = gl[name];
    if (!draw) continue;
    gl[name] = function (...args) {
      if (skips(this, name === 'clear')) return;
      present(this);
      return invoke(draw, this, args);
    };
  }
}
// Nor need it be copied to where it would have been seen.
const plain = globalThis.CanvasRenderingContext2D?.prototype;
if (plain) {
  const copy = plain.drawImage, gl = new WeakSet(), open = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
    const context = invoke(open, this, [kind, ...more]);
    if (context && /webgl/.test(kind)) gl.add(this);
    return context;
  };
  plain.drawImage = function (source, ...where) {
    if (gl.has(source) && skipped(this, unseen)) return;
    return invoke(copy, this, [source, ...where]);
  };
  skipUnseen(plain);
}
// The same for plain canvases that are painted anew from edge to edge in every frame.
function skipUnseen(plain) {
  const records = new WeakMap(), readers = new WeakMap();
  const record = (context) => {
    let r = records.get(context);
    if (!r) records.set(context, (r = { frame: 0, wiped: 0, strokes: 0, top: 0, bottom: 0, whole: false, begins: false, over: false, skip: false }));
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
      return invoke(real, this, args);
    };
  };
  const first = (_, args) => args[0], last = (_, args) => args[args.length - 1];
  for (const name of ['toDataURL', 'toBlob', 'captureStream']) reads(HTMLCanvasElement.prototype, name, (canvas) => canvas);
  reads(plain, 'getImageData', (context) => context.canvas);
  reads(plain, 'createPattern', first);
  reads(plain, 'drawImage', first);
  reads(globalThis, 'createImageBitmap', first);
  for (const kind of glKinds)
    for (const name of ['texImage2D', 'texSubImage2D']) reads(globalThis[kind]?.prototype, name, last);

  // band is from where to where a rectangle covers the canvas in all its width.
  const band = (context, x, y, w, h) => {
    const m = context.getTransform();
    if (m.b || m.c) return null;
    const left = m.a * x + m.e, top = m.d * y + m.f, right = left + m.a * w, bottom = top + m.d * h;
    return min(left, right) < 1 && max(left, right) > context.canvas.width - 1 ? { top: min(top, bottom), bottom: max(top, bottom) } : null;
  };
  const opaque = (context) => context.globalAlpha === 1 && /^(source-over|copy)$/.test(context.globalCompositeOperation);
  const wipes = {
    clearRect: band,
    fillRect: (context, ...box) => (opaque(context) && !/^rgba/.test(context.fillStyle) ? band(context, ...box) : null),
    drawImage: (context, source, ...box) => {
      const [x, y, w = source.width, h = source.height] = box.length === 8 ? box.slice(4) : box;
      return opaque(context) ? band(context, x, y, w, h) : null;
    },
  };
  const steady = (r) => r && r.wiped > sure;
  // Backgrounds are painted in bands, such as a sky and a sea, before all else: that many
  // strokes of a frame are looked at.
  const early = 12;
  // wipe notes what a stroke of a frame covers, and whether all is covered by now.
  const wipe = (r, context, name, args) => {
    if (r.whole || r.strokes++ >= early) return;
    const b = wipes[name]?.(context, ...args);
    if (!b) return;
    if (r.strokes === 1) r.begins = true;
    if (b.bottom >= r.top - 1 && b.top <= r.bottom + 1) {
      r.top = min(r.top, b.top);
      r.bottom = max(r.bottom, b.bottom);
    }
    r.whole = r.top < 1 && r.bottom > context.canvas.height - 1;
  };
  // skips decides at the first stroke of each frame.
  const skips = (context, name, args) => {
    const r = record(context);
    if (r.frame === count) {
      wipe(r, context, name, args);
      return r.skip;
    }
    // What the last frame was painted over is missing.
    if (r.over && !r.whole) stale = true;
    const lacked = unpainted.has(r);
    r.wiped = r.whole && count - r.frame <= seen ? r.wiped + 1 : 0;
    Object.assign(r, { frame: count, strokes: 0, top: 0, bottom: 0, whole: false, begins: false });
    wipe(r, context, name, args);
    r.skip = skipped(r, unseen && r.begins && steady(r) && [...(readers.get(context.canvas) ?? [])].every(steady));
    r.over = lacked && !r.skip;
    return r.skip;
  };
  ['clearRect', 'fillRect', 'strokeRect', 'fill', 'stroke', 'fillText', 'strokeText', 'drawImage', 'putImageData'].forEach((name) => {
    const paint = plain[name];
    plain[name] = function (...args) {
      // What is painted between frames, for an input, is not painted again.
      if (stepping && skips(this, name, args)) return;
      return invoke(paint, this, args);
    };
  });
}
