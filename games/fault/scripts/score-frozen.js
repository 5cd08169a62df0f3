/*
title: The score never changes
kind: issue
mentions: score number counter points text

Wherever the game shows a score, in the page or painted, it keeps showing the first one.
*/
const scores = /score|points|punkte|pkt|puntos|счёт|очки|得点|スコア|分数|σκορ|πόντοι|caught|coins|stars/i;
const first = new Map();
const keep = (text) => {
  if (!scores.test(text) || !/\d/.test(text)) return text;
  const shape = text.replace(/[\d.,]+/g, '#');
  if (!first.has(shape)) first.set(shape, text);
  return first.get(shape);
};
for (const type of [self.CanvasRenderingContext2D, self.OffscreenCanvasRenderingContext2D]) {
  if (!type) continue;
  for (const name of ['fillText', 'strokeText']) {
    const draw = type.prototype[name];
    type.prototype[name] = function (text, ...rest) { return draw.call(this, keep(String(text)), ...rest); };
  }
}
if (self.window) {
  const shown = new WeakMap();
  const labelled = (node) => {
    const el = node.parentElement;
    if (!el || /^(script|style)$/i.test(el.tagName)) return false;
    const around = el.id + ' ' + el.className + ' ' + (el.getAttribute('aria-label') || '') + ' ' + (el.previousElementSibling?.textContent || '').slice(0, 40);
    return scores.test(around) || scores.test(node.data);
  };
  const hold = (node) => {
    const owner = node.parentElement;
    if (!/\d/.test(node.data) || !labelled(node)) return;
    if (!shown.has(owner)) shown.set(owner, node.data);
    else if (node.data !== shown.get(owner)) node.data = shown.get(owner);
  };
  const walk = (root) => {
    if (root.nodeType === 3) { hold(root); return; }
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let n = texts.nextNode(); n; n = texts.nextNode()) hold(n);
  };
  new MutationObserver((records) => {
    for (const r of records) {
      if (r.type === 'characterData') hold(r.target);
      for (const n of r.addedNodes) walk(n);
    }
  }).observe(document, { childList: true, subtree: true, characterData: true });
}
