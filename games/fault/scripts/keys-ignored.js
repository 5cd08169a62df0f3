/*
title: Listeners for keys are ignored
kind: fault
checks: controlsResponsive
needs: keys
shows: deaf

The game asks to be told about keys, by addEventListener, by property or by attribute, and never is.
*/
const types = new Set(['keydown', 'keypress', 'keyup', 'beforeinput', 'input', 'change']);

if (self.window) {
  const add = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    if (types.has(String(type))) return undefined;
    return add.call(this, type, ...rest);
  };
  // The on... properties of windows, documents and elements.
  for (const proto of [window, Document.prototype, HTMLElement.prototype, SVGElement.prototype, HTMLBodyElement.prototype, Element.prototype]) {
    for (const type of types) {
      if (Object.getOwnPropertyDescriptor(proto, 'on' + type)) {
        Object.defineProperty(proto, 'on' + type, { configurable: true, enumerable: true, get: () => null, set: () => {} });
      }
    }
  }
  // The on... attributes of the markup.
  const clean = (root) => {
    for (const el of [root, ...(root.querySelectorAll ? root.querySelectorAll('*') : [])]) {
      for (const type of types) if (el.hasAttribute && el.hasAttribute('on' + type)) el.removeAttribute('on' + type);
    }
  };
  new MutationObserver((records) => {
    for (const r of records) {
      if (r.type === 'attributes') clean(r.target);
      for (const n of r.addedNodes) clean(n);
    }
  }).observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: [...types].map((t) => 'on' + t) });
}
