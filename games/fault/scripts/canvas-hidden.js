/*
title: The canvas is hidden
kind: fault
checks: gameLoaded gameStable
needs: canvas
shows: plain

A style rule makes every canvas invisible, transparent or absent. The game runs on behind it.
*/
if (self.window) {
  const rule = ['visibility:hidden', 'opacity:0', 'display:none'][fault.seed % 3];
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`canvas { ${rule} !important }`);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (...args) {
    const root = attach.apply(this, args);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    return root;
  };
}
