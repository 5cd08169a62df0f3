/*
title: Every input handler throws
kind: fault
checks: controlsResponsive gameStable
shows: throws

Each of the game's listeners for keys, clicks and moves throws before its first line.
*/
if (self.window) {
  const types = new Set(['keydown', 'keypress', 'keyup', 'input', 'click', 'dblclick', 'mousedown', 'mouseup', 'mousemove',
    'pointerdown', 'pointerup', 'pointermove', 'touchstart', 'touchmove', 'touchend', 'dragstart', 'drop']);
  const names = ['position', 'state', 'velocity'];
  const broken = () => { throw new TypeError(`Cannot read properties of undefined (reading '${names[fault.seed % 3]}')`); };
  const add = EventTarget.prototype.addEventListener;
  const remove = EventTarget.prototype.removeEventListener;
  const wrappers = new WeakMap();
  const wrap = (listener) => {
    if (!listener || (typeof listener !== 'function' && typeof listener !== 'object')) return listener;
    if (!wrappers.has(listener)) wrappers.set(listener, () => broken());
    return wrappers.get(listener);
  };
  EventTarget.prototype.addEventListener = function (type, listener, options) {
    return add.call(this, type, types.has(String(type)) ? wrap(listener) : listener, options);
  };
  EventTarget.prototype.removeEventListener = function (type, listener, options) {
    return remove.call(this, type, types.has(String(type)) ? wrap(listener) : listener, options);
  };
  for (const proto of [window, Document.prototype, HTMLElement.prototype, SVGElement.prototype]) {
    for (const type of types) {
      const own = Object.getOwnPropertyDescriptor(proto, 'on' + type);
      if (!own || !own.set) continue;
      Object.defineProperty(proto, 'on' + type, { ...own, set(listener) { own.set.call(this, wrap(listener)); } });
    }
  }
  new MutationObserver((records) => {
    for (const r of records) {
      for (const n of r.addedNodes) {
        for (const el of [n, ...(n.querySelectorAll ? n.querySelectorAll('*') : [])]) {
          for (const type of types) if (el.hasAttribute && el.hasAttribute('on' + type)) el['on' + type] = () => {};
        }
      }
    }
  }).observe(document, { childList: true, subtree: true });
}
