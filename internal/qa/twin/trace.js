// The trace: a hash of everything the page draws and of every change of its document.
// Equal traces mean that two pages look the same, so what is drawn must be in it whole:
// numbers, texts, colours, pictures and pixels.
let trace = 0, drawn = 0, changed = 0;
// last is the frame in which something was drawn or changed last, active in how many.
let last = 0, active = 0, noted = 0;
const note = () => {
  if (drawn + changed !== noted && last !== count) { last = count; active++; }
  noted = drawn + changed;
};
const mix = (n) => { trace = (imul(trace ^ n, 0x01000193) + 1) | 0; };
const mixText = (s) => {
  mix(s.length);
  for (let i = 0; i < s.length && i < 64; i++) mix(s.charCodeAt(i));
};
const mixBytes = (view) => {
  const most = 1 << 20; // words, a picture as large as the window
  const buffer = view.buffer ?? view, at = view.byteOffset ?? 0;
  const words = at % 4 ? new Uint8Array(buffer, at, view.byteLength) : new Int32Array(buffer, at, view.byteLength >> 2);
  const every = ceil(words.length / most) || 1;
  let h = trace;
  for (let i = 0; i < words.length; i += every) h = (imul(h ^ words[i], 0x01000193) + 1) | 0;
  trace = h;
};
const { ArrayBuffer: Bytes, ImageData: Pixels, HTMLImageElement: Picture } = globalThis;
const pictures = new WeakMap(); // what stands for a picture: its address
const forgetPicture = (img) => { pictures.delete(img); };
const mixPicture = (img) => {
  let code = pictures.get(img);
  if (code === undefined) {
    const address = img.currentSrc || img.src, before = trace;
    trace = 0;
    mixText(address.slice(-64));
    mix(address.length);
    pictures.set(img, (code = trace));
    trace = before;
  }
  mix(code);
};
const objects = new WeakMap(); // textures and programs, numbered as they come
let numbered = 0;
const mixValue = (v) => {
  switch (typeof v) {
    case 'number': return mix((v * 64) | 0);
    case 'string': return mixText(v);
    case 'boolean': return mix(v ? 1 : 2);
    case 'object': break;
    default: return mix(3);
  }
  if (v === null) return mix(4);
  if (Bytes.isView(v) || v instanceof Bytes) return mixBytes(v);
  if (Array.isArray(v)) { for (let i = 0; i < v.length && i < 64; i++) mixValue(v[i]); return; }
  if (Picture && v instanceof Picture) return mixPicture(v);
  if (Pixels && v instanceof Pixels) return mixBytes(v.data);
  if (typeof v.width === 'number') { mix(v.width); mix(v.height); return; }
  if (!objects.has(v)) objects.set(v, ++numbered);
  mix(objects.get(v));
};
const mixAll = (args) => { for (let i = 0; i < args.length; i++) mixValue(args[i]); };
// traced adds the calls of a method to the trace.
const traced = (owner, name, code, more) => {
  const real = owner?.[name];
  if (typeof real !== 'function') return;
  owner[name] = function (...args) {
    mix(code);
    mixAll(args);
    more?.(this);
    return invoke(real, this, args);
  };
};
// So does tracedValue with what is given to a property.
const tracedValue = (owner, name, code) => {
  const d = owner && Object.getOwnPropertyDescriptor(owner, name);
  if (!d?.set || !d.configurable) return;
  Object.defineProperty(owner, name, { ...d, set(value) { changed++; mix(code); mixText(String(value)); invoke(d.set, this, [value]); } });
};

if (MutationObserver && globalThis.document) {
  const watched = { subtree: true, childList: true, attributes: true, characterData: true };
  // Where a node is among its siblings, and its parent among its own: boards change many
  // like nodes.
  const place = (node) => {
    const far = 400;
    for (const at of [node, node?.parentNode]) {
      let i = 0;
      for (let n = at; n && i < far; n = n.previousSibling) i++;
      mix(i);
    }
  };
  const observer = new MutationObserver((list) => {
    changed += list.length;
    for (const m of list) {
      place(m.target);
      if (m.type === 'attributes') mixText(m.attributeName + (m.target.getAttribute(m.attributeName) ?? ''));
      else if (m.type === 'characterData') mixText(m.target.data);
      else for (const n of m.addedNodes) {
        if (n.localName === 'img') waitForPicture(n);
        else if (n.localName === 'script') waitForScript(n);
        else if (n.nodeType === 1) n.querySelectorAll('img').forEach(waitForPicture);
        mixText(n.nodeName + (n.data ?? n.textContent?.slice(0, 40) ?? ''));
      }
      mix(m.removedNodes.length);
    }
  });
  observer.observe(document, watched);
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (...args) {
    const root = invoke(attach, this, args);
    observer.observe(root, watched);
    return root;
  };
  // What an observer of the document does not see.
  for (const kind of ['HTMLInputElement', 'HTMLTextAreaElement', 'HTMLSelectElement'])
    for (const name of ['value', 'checked', 'selectedIndex']) tracedValue(globalThis[kind]?.prototype, name, 200);
  for (const name of ['scrollTop', 'scrollLeft']) tracedValue(Element.prototype, name, 201);
  const change = () => { changed++; };
  for (const name of ['animate', 'showPopover', 'hidePopover']) traced(Element.prototype, name, 202, change);
  for (const name of ['insertRule', 'deleteRule', 'replaceSync']) traced(globalThis.CSSStyleSheet?.prototype, name, 203, change);
}

const draw = () => { drawn++; };
for (const kind of ['CanvasRenderingContext2D', 'OffscreenCanvasRenderingContext2D']) {
  const plain = globalThis[kind]?.prototype;
  if (!plain) continue;
  const filled = (context) => { drawn++; mix((context.globalAlpha * 255) | 0); mixText(String(context.fillStyle)); };
  const stroked = (context) => { drawn++; mix((context.globalAlpha * 255) | 0); mixText(String(context.strokeStyle)); };
  const copied = (context) => { drawn++; mix((context.globalAlpha * 255) | 0); };
  for (const name of ['fillRect', 'fill', 'fillText']) traced(plain, name, 10, filled);
  for (const name of ['strokeRect', 'stroke', 'strokeText']) traced(plain, name, 11, stroked);
  for (const name of ['clearRect', 'drawImage', 'putImageData']) traced(plain, name, 12, copied);
  // Shapes are drawn by paths and moved by transforms.
  ['arc', 'arcTo', 'lineTo', 'moveTo', 'rect', 'ellipse', 'bezierCurveTo', 'quadraticCurveTo', 'roundRect', 'translate', 'rotate', 'scale', 'setTransform', 'transform']
    .forEach((name, code) => traced(plain, name, 20 + code));
}
traced(globalThis.ImageBitmapRenderingContext?.prototype, 'transferFromImageBitmap', 50, draw);
for (const kind of ['WebGLRenderingContext', 'WebGL2RenderingContext']) {
  const gl = globalThis[kind]?.prototype;
  // What a scene looks like lies in its uniforms, buffers and textures.
  if (gl) Object.getOwnPropertyNames(gl).forEach((name, code) => {
    if (/^draw(Arrays|Elements|Range)/.test(name)) traced(gl, name, 100 + code, draw);
    else if (/^(clear|uniform\d|uniformMatrix|buffer(Sub)?Data|tex(Sub)?Image|copyTex|bindTexture|bindVertexArray|useProgram|blend(Func|Equation)|scissor|viewport|enable|disable|vertexAttrib)/.test(name)) traced(gl, name, 100 + code);
  });
}
