// ---- input ----------------------------------------------------------------------------
const delivered = record();        // type -> trusted events that arrived
const reads = record();            // type -> property reads by handlers
const prevented = record();        // type -> preventDefault calls
const stopped = record();          // type -> events that a listener above the game kept from it
const RECENT = 24;
const recent = list();             // the last trusted events, a ring
let arrivals = 0;

const INPUT = record();            // types that a player can cause
for (const type of ['keydown', 'keyup', 'keypress', 'click', 'dblclick', 'auxclick', 'contextmenu', 'wheel', 'mousewheel',
  'mousedown', 'mouseup', 'mousemove', 'mouseover', 'mouseenter', 'mouseout', 'mouseleave',
  'pointerdown', 'pointerup', 'pointermove', 'pointerover', 'pointerenter', 'pointerout', 'pointerleave',
  'touchstart', 'touchmove', 'touchend', 'touchcancel', 'drag', 'dragstart', 'dragover', 'dragend', 'dragenter', 'drop',
  'input', 'beforeinput', 'change', 'submit', 'gamepadconnected', 'devicemotion', 'deviceorientation']) INPUT[type] = true;
const COUNTED = ['keydown', 'keyup', 'keypress', 'mousedown', 'mouseup', 'mousemove', 'click', 'dblclick', 'pointerdown', 'pointerup',
  'pointermove', 'touchstart', 'touchend', 'touchmove', 'wheel', 'dragstart', 'drop', 'input'];

// isTrusted is the one property of an event that no page can forge.
const isTrusted = (e) => typeof e === 'object' && e !== null && e.isTrusted === true;
const note = (counters) => quietly((e) => { if (isTrusted(e)) bump(counters, eventType(e)); });

const arrived = quietly((e) => {
  if (!on || !isTrusted(e)) return;
  bump(delivered, eventType(e));
  recent[arrivals++ % RECENT] = e;
});
function attend() {
  if (!hasDOM) return;
  // Adding the same listener again does nothing, so this also mends document.open().
  for (let i = 0; i < COUNTED.length; i++) apply(listen, G, [COUNTED[i], arrived, { __proto__: null, capture: true, passive: true }]);
}
attend();

for (const [name, properties] of [
  ['KeyboardEvent', ['key', 'code', 'keyCode', 'charCode']],
  ['UIEvent', ['which']],
  ['MouseEvent', ['clientX', 'clientY', 'pageX', 'pageY', 'offsetX', 'offsetY', 'x', 'y', 'screenX', 'screenY', 'button', 'buttons', 'movementX', 'movementY']],
  ['TouchEvent', ['touches', 'changedTouches', 'targetTouches']],
  ['WheelEvent', ['deltaX', 'deltaY']],
]) for (const property of properties) beforeGet(protoOf(name), property, note(reads));
before(protoOf('Event'), 'preventDefault', note(prevented));
const noteStopped = quietly((e) => {
  if (isTrusted(e) && e.eventPhase === 1 && (e.currentTarget === G || hasDOM && e.currentTarget === document)) bump(stopped, eventType(e));
});
for (const name of ['stopPropagation', 'stopImmediatePropagation']) before(protoOf('Event'), name, noteStopped);

// ---- listeners ---------------------------------------------------------------------------
const MAX_LISTENERS = 400, MAX_LISTENED = 3000, MAX_STACKS = 200;
const listeners = new OwnMap();        // type and target -> record
const listened = new OwnWeakMap();     // element -> types, for finding what can be clicked
const listenedRefs = list();
const registered = new OwnWeakMap();   // listener -> target -> for what it is registered
let stacks = 0;

// registration names one registration: the same listener may be there for both phases.
// The page's options are only looked at, no getter of theirs is called.
function registration(key, options) {
  let capture = options === true;
  if (typeof options === 'object' && options) {
    const own = descriptorOf(options, 'capture');
    capture = !!(own && own.value);
  }
  return key + (capture ? '|c' : '');
}

// short bounds what the page names: it is read over and over, and kept.
const short = (s) => s.length > 200 ? slice(s, 0, 200) : s;

function describe(target) {
  if (target === G || target === null || target === undefined) return 'window';
  if (!hasDOM) return 'other';
  if (target === document) return 'document';
  try {
    if (nodeType(target) !== 1) return 'other';
  } catch { return 'other'; }
  const id = attribute(target, 'id');
  if (id) return short(localName(target) + '#' + id);
  const names = attribute(target, 'class');
  const first = names && split(trim(names), ' ')[0];
  return short(localName(target) + (first ? '.' + first : ''));
}

const PLACE = /(?:\(|at )([^\s()]+:\d+:\d+)\)?$/;

// caller is where the page called us from. The page's own way of making stacks is put aside meanwhile.
function caller() {
  const custom = descriptorOf(NativeError, 'prepareStackTrace');
  if (custom && !custom.configurable) return '';
  if (custom) deleteProperty(NativeError, 'prepareStackTrace');
  try {
    const lines = split('' + new NativeError().stack, '\n');
    for (let i = 1; i < lines.length; i++) {
      const place = indexOf(lines[i], 'playtest:') < 0 && match(PLACE, lines[i]);
      if (place) return short(place[1]);
    }
    return '';
  } finally {
    if (custom) defineProperty(NativeError, 'prepareStackTrace', custom);
  }
}

before(protoOf('EventTarget'), 'addEventListener', quietly((target, a) => {
  const type = a[0];
  if (!a[1] || typeof type !== 'string' || !INPUT[type]) return;
  if (type === 'devicemotion' || type === 'deviceorientation') seen.motion++;
  const where = describe(target);
  if (where !== 'window' && where !== 'document') {
    let types = listened.get(target);
    if (!types) {
      types = record();
      listened.set(target, types);
      if (listenedRefs.length < MAX_LISTENED) push(listenedRefs, new WeakRef(target));
    }
    types[type] = true;
  }
  const key = type + '|' + where, place = registration(key, a[2]);
  const on = target || G;
  let targets = registered.get(a[1]);
  if (!targets) registered.set(a[1], targets = new OwnWeakMap());
  let places = targets.get(on);
  if (!places) targets.set(on, places = record());
  if (places[place]) return; // the same one twice is one
  places[place] = true;
  const known = listeners.get(key);
  if (known) { known.count++; return; }
  if (listeners.size >= MAX_LISTENERS) return;
  listeners.set(key, { __proto__: null, type, target: where, count: 1, at: stacks++ < MAX_STACKS ? caller() : '' });
}));

before(protoOf('EventTarget'), 'removeEventListener', quietly((target, a) => {
  const type = a[0];
  if (!a[1] || typeof type !== 'string' || !INPUT[type]) return;
  const key = type + '|' + describe(target), place = registration(key, a[2]);
  const targets = registered.get(a[1]), places = targets && targets.get(target || G), known = listeners.get(key);
  if (!places || !places[place] || !known) return;
  deleteProperty(places, place);
  known.count--;
}));
