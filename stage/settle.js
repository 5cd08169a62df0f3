// How long ago, in milliseconds, the document last changed. Runs in a world of
// its own; the first call starts to watch.
(() => {
  const now = performance.now();
  let w = globalThis.playtestRest;
  if (!w || w.document !== document) {
    w = globalThis.playtestRest = { document, last: now, count: 0 };
    const note = () => { w.last = performance.now(); w.count++; };
    new MutationObserver(note).observe(document, {
      subtree: true, childList: true, characterData: true, attributes: true,
    });
  }
  return { quiet: document.readyState === 'loading' ? 0 : now - w.last, count: w.count };
})()
