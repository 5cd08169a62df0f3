// ---- reading ------------------------------------------------------------------------------
const copy = (o) => { const r = record(); for (const k in o) r[k] = o[k]; return r; };
const isVisible = hasDOM && uncurry(method(protoOf('Element'), 'checkVisibility'));
const boxOf = hasDOM && uncurry(method(protoOf('Element'), 'getBoundingClientRect'));
const styleOf = G.getComputedStyle;
const queryDocument = hasDOM && uncurry(method(protoOf('Document'), 'querySelectorAll'));
const queryShadow = hasDOM && uncurry(method(protoOf('DocumentFragment'), 'querySelectorAll'));
const hostOf = hasDOM && read1(protoOf('ShadowRoot'), 'host');
const VISIBLE = { __proto__: null, opacityProperty: true, visibilityProperty: true };
const visible = (el) => isVisible(el, VISIBLE);
const MAX_CANVASES = 256, MAX_PAINTED = 200;

// eachCanvas calls f with every canvas that has a context and a place.
function eachCanvas(f) {
  let n = 0;
  const look = (found) => {
    for (let i = 0; i < found.length && n < MAX_CANVASES; i++) {
      const kind = kinds.get(found[i]);
      if (kind) { n++; f(found[i], kind, boxOf(found[i])); }
    }
  };
  look(queryDocument(document, 'canvas'));
  for (let i = 0; i < shadowRoots.length; i++) {
    const root = deref(shadowRoots[i]);
    if (root && hostOf(root).isConnected) look(queryShadow(root, 'canvas'));
  }
}

// hasButtons tells whether the document itself can be operated.
const OPERATED = 'button,input,select,textarea,[onclick],[role=button]', MAX_BUTTONS = 64;
function hasButtons() {
  const found = queryDocument(document, OPERATED);
  for (let i = 0; i < found.length && i < MAX_BUTTONS; i++) if (visible(found[i]) && boxOf(found[i]).width > 0) return true;
  return false;
}

function canvasList() {
  const out = list();
  eachCanvas((c, kind, r) => push(out, {
    __proto__: null, kind, width: c.width, height: c.height, x: r.x, y: r.y, w: r.width, h: r.height, shown: visible(c),
    ornament: styleOf(c).pointerEvents === 'none' && hasButtons(),
  }));
  return out;
}

// pixels says where a canvas shows its pixels: inside borders and padding, as object-fit has it.
function pixels(c, r) {
  const s = styleOf(c);
  const scale = c.offsetWidth ? r.width / c.offsetWidth : 1, scaleY = c.offsetHeight ? r.height / c.offsetHeight : 1;
  const left = number(s.borderLeftWidth) + number(s.paddingLeft), top = number(s.borderTopWidth) + number(s.paddingTop);
  const w = r.width - (left + number(s.borderRightWidth) + number(s.paddingRight)) * scale;
  const h = r.height - (top + number(s.borderBottomWidth) + number(s.paddingBottom)) * scaleY;
  let kx = w / c.width, ky = h / c.height;
  if (s.objectFit === 'contain' || s.objectFit === 'scale-down') kx = ky = min(kx, ky);
  else if (s.objectFit === 'cover') kx = ky = max(kx, ky);
  return { __proto__: null, x: r.x + left * scale + (w - c.width * kx) / 2, y: r.y + top * scaleY + (h - c.height * ky) / 2, kx, ky };
}

const newest = (entries) => { let t = 0; entries.forEach((e) => { t = max(t, e.last); }); return t; };
// What was painted lately is shown. A still canvas is painted once: there the newest stays,
// until so many turns have gone over it that it cannot be still.
const STILL = 20;
const shownOf = (entries, canvas, t, maxAge, f) => {
  const latest = newest(entries), turn = painted.get(canvas).turns;
  entries.forEach((e, k) => { if (t - e.last <= maxAge || (latest - e.last <= 100 && turn - e.turn < STILL)) f(e, k); });
};

// textsOn collects a canvas's texts with their places after the mapping, and those of canvases painted onto it.
function textsOn(out, canvas, at, t, maxAge, depth) {
  const mine = texts.get(canvas);
  if (mine) shownOf(mine, canvas, t, maxAge, (e) => {
    if (out.length >= MAX_PAINTED) return;
    push(out, {
      __proto__: null, text: e.text, x: at.x + e.box.x * at.kx, y: at.y + e.box.y * at.ky, w: e.box.w * at.kx, h: e.box.h * at.ky,
      age: t - e.first, last: t - e.last, count: e.count,
    });
  });
  const onto = blits.get(canvas);
  if (onto && depth < 3) shownOf(onto, canvas, t, maxAge, (b, source) => {
    textsOn(out, source, { __proto__: null, x: at.x + b.x * at.kx, y: at.y + b.y * at.ky, kx: at.kx * b.kx, ky: at.ky * b.ky }, t, maxAge, depth + 1);
  });
}
function paintedTexts(maxAge) {
  const t = now(), out = list();
  eachCanvas((c, kind, r) => { if (r.width && r.height && c.width && c.height) textsOn(out, c, pixels(c, r), t, maxAge, 0); });
  return out;
}
// surfaceList is for workers, which know no places: texts in the pixels of their canvases.
function surfaceList(maxAge) {
  const t = now(), out = list();
  for (let i = 0; i < unseen.length; i++) {
    const c = deref(unseen[i]);
    if (!c) continue;
    const mine = list();
    textsOn(mine, c, { __proto__: null, x: 0, y: 0, kx: 1, ky: 1 }, t, maxAge, 0);
    push(out, { __proto__: null, width: c.width, height: c.height, texts: mine });
  }
  return out;
}
function paintedImages(maxAge) {
  const t = now(), out = list();
  eachCanvas((c, kind, r) => {
    const mine = images.get(c);
    if (!mine || !r.width || !r.height || !c.width || !c.height) return;
    const at = pixels(c, r);
    shownOf(mine, c, t, maxAge, (e) => {
      if (out.length >= 64) return;
      push(out, { __proto__: null, x: at.x + e.box.x * at.kx, y: at.y + e.box.y * at.ky, w: e.box.w * at.kx, h: e.box.h * at.ky, age: t - e.first, count: e.count });
    });
  });
  return out;
}

// frameRate is the number of frames in the last second, or at that rate in a page that is younger.
function frameRate(t) {
  const kept = min(seen.frames, FRAMES);
  let n = 0, oldest = t;
  for (; n < kept; n++) {
    const at = frameTimes[(seen.frames - 1 - n) % FRAMES];
    if (t - at > 1000) break;
    oldest = at;
  }
  if (n < 2) return 0;
  return n === seen.frames ? (n - 1) * 1000 / max(t - oldest, 1) : n;
}

// rhythm is the median distance of the last frames, which a single long pause does not change.
function rhythm() {
  const gaps = list();
  for (let i = seen.frames - 1; i > 0 && gaps.length < 15; i--) {
    let gap = frameTimes[i % FRAMES] - frameTimes[(i - 1) % FRAMES];
    for (let k = 0; k < gaps.length; k++) if (gap < gaps[k]) { const larger = gaps[k]; gaps[k] = gap; gap = larger; }
    push(gaps, gap);
  }
  return gaps.length ? gaps[gaps.length >> 1] : 0;
}

function read(options) {
  attend();
  endOfTurn();
  const t = now(), maxAge = options.maxAge || 700;
  const state = copy(seen);
  state.now = t;
  state.fps = frameRate(t);
  state.rhythm = rhythm();
  state.timersAlive = timers.size;
  state.contextsMissing = contextsMissing();
  state.turns = turns;
  state.sigs = list();
  for (let i = max(0, turns - SIGS); i < turns; i++) if (sigTimes[i % SIGS] >= (options.since || 0)) push(state.sigs, sigs[i % SIGS]);
  state.delivered = copy(delivered);
  state.reads = copy(reads);
  state.prevented = copy(prevented);
  state.stopped = copy(stopped);
  state.defaultPrevented = 0;
  for (let i = 0; i < recent.length; i++) if (recent[i].defaultPrevented) state.defaultPrevented++;
  state.audioStates = list();
  for (let i = 0; i < audio.length; i++) { const a = deref(audio[i]); if (a) push(state.audioStates, a.state); }
  if (hasDOM) {
    state.scrollX = G.scrollX;
    state.scrollY = G.scrollY;
    if (!options.brief || options.texts) {
      state.texts = quietly(paintedTexts)(maxAge);
      state.canvases = quietly(canvasList)(); // where the texts of workers are
    }
  } else if (!options.brief || options.texts) state.surfaces = quietly(surfaceList)(maxAge);
  if (options.brief) return state;
  state.contexts = copy(contexts);
  state.shaderErrors = shaderErrors;
  state.decodeErrors = decodeErrors;
  state.listeners = list();
  listeners.forEach((l) => { if (l.count > 0) push(state.listeners, l); });
  if (hasDOM) {
    state.images = quietly(paintedImages)(maxAge);
    state.readyState = document.readyState;
    state.title = short('' + document.title);
  }
  return state;
}

defineProperty(G, KEY, {
  __proto__: null,
  value: freeze({
    __proto__: null, originals, read, visible, shadowRoots, listened, listenedRefs, deref, Map: G.Map, Set: G.Set,
    off() { on = false; if (observer) observer.disconnect(); },
  }),
  enumerable: false, configurable: false, writable: false,
});
