// ---- what else a page may ask for ------------------------------------------------------
const count = (owner, name, field) => before(owner, name, () => { seen[field]++; });
count(protoOf('Storage'), 'setItem', 'storage');
count(protoOf('Storage'), 'removeItem', 'storage');
count(protoOf('IDBObjectStore'), 'put', 'storage');
count(protoOf('IDBObjectStore'), 'add', 'storage');
count(protoOf('Element'), 'requestPointerLock', 'pointerLock');
for (const name of ['requestFullscreen', 'webkitRequestFullscreen', 'webkitRequestFullScreen']) count(protoOf('Element'), name, 'fullscreen');
count(protoOf('Navigator'), 'getGamepads', 'gamepads');
count(protoOf('MediaDevices'), 'getUserMedia', 'media');
count(protoOf('HTMLMediaElement'), 'play', 'audioPlays');
for (const name of ['instantiate', 'instantiateStreaming', 'compile', 'compileStreaming']) count(G.WebAssembly, name, 'wasm');

// constructed has note called with every object that new makes of the class.
function constructed(name, note) {
  const d = descriptorOf(G, name);
  if (!d || typeof d.value !== 'function' || !d.configurable) return;
  const original = d.value;
  const wrapped = new Proxy(original, {
    __proto__: null,
    construct(target, args, newTarget) {
      let made;
      try { made = construct(target, args, newTarget === wrapped ? target : newTarget); } catch (e) { throw scrub(e); }
      if (on) note(made);
      return made;
    },
  });
  originals.set(wrapped, original);
  // Old names, such as webkitAudioContext, are the same function.
  for (const alias of [name, 'webkit' + name]) {
    const a = descriptorOf(G, alias);
    if (a && a.value === original) { a.value = wrapped; defineProperty(G, alias, a); }
  }
  const c = descriptorOf(original.prototype, 'constructor');
  c.value = wrapped;
  defineProperty(original.prototype, 'constructor', c);
}
const audio = list(); // WeakRefs of audio contexts
constructed('AudioContext', (context) => { if (audio.length < 16) push(audio, new WeakRef(context)); });
constructed('Worker', () => { seen.workers++; });

// ---- the document --------------------------------------------------------------------------
const OBSERVE = { __proto__: null, subtree: true, childList: true, characterData: true, attributes: true };
const observe = MutationObserver && method(MutationObserver.prototype, 'observe');
const shadowRoots = list();
let observer = null;
if (hasDOM) {
  observer = new MutationObserver((records) => {
    seen.mutations += records.length;
    seen.lastMutation = now();
  });
  apply(observe, observer, [document, OBSERVE]);
}
after(protoOf('Element'), 'attachShadow', quietly((root) => {
  if (shadowRoots.length < 2000) push(shadowRoots, new WeakRef(root));
  apply(observe, observer, [root, OBSERVE]);
}));

// ---- failures ------------------------------------------------------------------------------
const decodeErrors = list();
const noteDecode = (what) => { if (decodeErrors.length < 32) push(decodeErrors, slice('' + what, 0, 500)); };
const failed = quietly((e) => {
  const t = e.target;
  if (!on) return;
  if (t === G) seen.errors++;
  else if (nodeType(t) === 1) noteDecode(localName(t) + ' ' + (t.currentSrc || t.src || t.href || ''));
});
if (hasDOM) {
  // Errors of elements do not bubble, but they are captured on their way down.
  apply(listen, G, ['error', failed, true]);
  apply(listen, G, ['unhandledrejection', () => { seen.unhandled++; }, true]);
  // Those of elements outside the document pass nobody, so each is asked itself.
  const outside = quietly((element) => { if (!isConnected(element)) apply(listen, element, ['error', failed, { __proto__: null, once: true }]); });
  const isConnected = read1(protoOf('Node'), 'isConnected');
  beforeSet(protoOf('HTMLImageElement'), 'src', outside);
  beforeSet(protoOf('HTMLMediaElement'), 'src', outside);
}
// A promise that is looked at counts as handled, so the page gets one that passes ours on.
const then = Promise.prototype.then;
function decoding(owner, name) {
  wrap(owner, name, (original) => ({
    [name]() {
      let promise;
      try { promise = apply(original, this, arguments); } catch (e) { throw scrub(e); }
      if (!on) return promise;
      return apply(then, promise, [undefined, (e) => { noteDecode(name + ': ' + (e && e.message)); throw e; }]);
    },
  }[name]));
}
decoding(protoOf('BaseAudioContext'), 'decodeAudioData');
decoding(protoOf('HTMLImageElement'), 'decode');
decoding(holder('createImageBitmap'), 'createImageBitmap');

if (PerformanceObserver && hasDOM) {
  const entriesIn = uncurry(method(protoOf('PerformanceObserverEntryList'), 'getEntries'));
  const long = new PerformanceObserver(quietly((batch) => {
    if (!on) return;
    const entries = entriesIn(batch);
    for (let i = 0; i < entries.length; i++) {
      const { startTime, duration } = entries[i];
      seen.longTasks++;
      seen.longTaskTime += duration;
      seen.longestTask = max(seen.longestTask, duration);
      seen.lastLongTask = startTime + duration;
    }
  }));
  long.observe({ type: 'longtask', buffered: true });
}
