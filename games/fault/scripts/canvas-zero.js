/*
title: The canvas has no size
kind: fault
checks: gameLoaded gameStable controlsResponsive
needs: canvas
shows: plain

Every canvas is zero pixels wide and high, either as it is laid out or as it is drawn on.
*/
if (self.window && fault.seed % 2) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('canvas { width:0 !important; height:0 !important; min-width:0 !important; min-height:0 !important; max-width:0 !important; max-height:0 !important; border:0 !important; padding:0 !important }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (...args) {
    const root = attach.apply(this, args);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    return root;
  };
} else {
  for (const type of [self.HTMLCanvasElement, self.OffscreenCanvas]) {
    if (!type) continue;
    for (const side of ['width', 'height']) {
      const own = Object.getOwnPropertyDescriptor(type.prototype, side);
      Object.defineProperty(type.prototype, side, { ...own, set() { own.set.call(this, 0); } });
    }
  }
  if (self.window) {
    const shrink = (root) => {
      for (const el of [root, ...(root.querySelectorAll ? root.querySelectorAll('canvas') : [])]) {
        if (el instanceof HTMLCanvasElement && (el.width || el.height)) { try { el.width = 0; el.height = 0; } catch { /* handed to a worker */ } }
      }
    };
    new MutationObserver((records) => { for (const r of records) for (const n of r.addedNodes) shrink(n); }).observe(document, { childList: true, subtree: true });
  }
}
