/*
title: The start is dead
kind: fault
checks: controlsResponsive gameLoaded
needs: start
shows: stuck deaf

What a person has to click or press to start the game does nothing. Everything else would work.
*/
if (self.window) {
  const { type, target, steps } = fault.game.start;
  const words = (steps && steps.length ? steps : [target]).map((t) => t.trim().toLowerCase());
  const says = (el) => {
    const text = (el.innerText || el.value || el.getAttribute('aria-label') || '').trim().toLowerCase();
    return words.some((w) => w && (text === w || (text.includes(w) && text.length < w.length + 12)));
  };
  const hits = (e) => e.composedPath().some((el) => el instanceof Element && el.matches('a, button, input, [role=button], div, span, td, li, label') && says(el));
  // A closed shadow root does not tell the window what was hit.
  const guards = [];
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (...args) { const root = attach.apply(this, args); for (const guard of guards) guard(root); return root; };
  const stopIf = (types, is) => {
    const stop = (e) => { if (is(e)) { e.stopImmediatePropagation(); if (e.cancelable && e.type === 'click') e.preventDefault(); } };
    for (const t of types) window.addEventListener(t, stop, { capture: true, passive: false });
    guards.push((root) => { for (const t of types) root.addEventListener(t, stop, { capture: true, passive: false }); });
  };
  const pointer = ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'touchstart', 'touchend', 'click', 'dblclick'];
  const keys = ['keydown', 'keypress', 'keyup'];
  switch (type) {
    case 'key': stopIf(keys, (e) => e.code === target); break;
    case 'double-click': stopIf(['dblclick'], () => true); stopIf(['mousedown', 'mouseup', 'click'], (e) => e.detail > 1); stopIf(['pointerdown', 'pointerup'], () => true); break;
    case 'dom-button': case 'link': case 'menus': stopIf(pointer, hits); stopIf(keys, (e) => hits(e) && (e.code === 'Enter' || e.code === 'Space')); break;
    default: stopIf(pointer, () => true); // painted: the whole picture
  }
}
