/*
title: Another language
kind: trap
needs: latin

Every Latin letter that the game shows, in the page or painted, is shown in another alphabet: Cyrillic, Greek or Armenian.
*/
const alphabets = [
  'абцдефгхийклмнопярстувщхызАБЦДЕФГХИЙКЛМНОПЯРСТУВЩХЫЗ',
  'αβψδεφγηιξκλμνοπκρστθωϊχυζΑΒΨΔΕΦΓΗΙΞΚΛΜΝΟΠΚΡΣΤΘΩΪΧΥΖ',
  'աբգդեզէըթժիլխծկհձղճմյնշոչպԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊ',
];
const latin = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const letters = [...alphabets[fault.seed % 3]];
const table = new Map([...latin].map((c, i) => [c, letters[i]]));
const say = (text) => text.replace(/[a-zA-Z]/g, (c) => table.get(c));
for (const type of [self.CanvasRenderingContext2D, self.OffscreenCanvasRenderingContext2D]) {
  if (!type) continue;
  for (const name of ['fillText', 'strokeText', 'measureText']) {
    const draw = type.prototype[name];
    // A single letter may be a piece of a bitmap font.
    type.prototype[name] = function (text, ...rest) { const t = String(text); return draw.call(this, t.length > 1 ? say(t) : t, ...rest); };
  }
}
if (self.window) {
  // Whoever looks for words has to know how they are spelt now.
  document.documentElement.dataset.faultLetters = alphabets[fault.seed % 3];
  const done = new WeakMap();
  const change = (node) => {
    if (!/[a-zA-Z]/.test(node.data) || done.get(node) === node.data) return;
    if (node.parentElement?.closest('script, style, textarea, noscript, pre')) return;
    node.data = say(node.data);
    done.set(node, node.data);
  };
  const walk = (root) => {
    if (root.nodeType === 3) { change(root); return; }
    if (root.nodeType !== 1 && root.nodeType !== 9 && root.nodeType !== 11) return;
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let n = texts.nextNode(); n; n = texts.nextNode()) change(n);
  };
  const watch = (root) => new MutationObserver((records) => {
    for (const r of records) {
      if (r.type === 'characterData') change(r.target);
      for (const n of r.addedNodes) walk(n);
    }
  }).observe(root, { childList: true, subtree: true, characterData: true });
  watch(document);
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (...args) { const root = attach.apply(this, args); watch(root); return root; };
}
