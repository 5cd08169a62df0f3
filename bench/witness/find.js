// Finds the places a person would click for the given words: elements that say them, else where they were painted.
(words) => {
  const seen = self.__witness;
  const letters = [...(document.documentElement.dataset.faultLetters || '')];
  const latin = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
  const spell = (text) => (letters.length ? text.replace(/[a-zA-Z]/g, (c) => letters[latin.indexOf(c)]) : text);
  const want = spell(words.trim()).toLowerCase();
  const roots = [document, ...seen.roots];
  const shown = (el) => { const r = el.getBoundingClientRect(); return r.width > 0 && r.height > 0 && getComputedStyle(el).visibility !== 'hidden'; };
  let best = null;
  for (const root of roots) {
    for (const el of root.querySelectorAll('a, button, input, [role=button], div, span, td, li, label, p')) {
      const text = (el.innerText || el.value || el.getAttribute('aria-label') || '').trim().toLowerCase();
      if (!text.includes(want) || !shown(el)) continue;
      if (!best || text.length <= best.size) best = { el, size: text.length };
    }
  }
  if (best && best.size < want.length + 30) {
    best.el.scrollIntoView({ block: 'nearest' });
    const r = best.el.getBoundingClientRect();
    return [{ x: r.x + r.width / 2, y: r.y + r.height / 2 }];
  }
  const canvases = roots.flatMap((root) => [...root.querySelectorAll('canvas')]).filter(shown);
  canvases.sort((a, b) => b.getBoundingClientRect().width - a.getBoundingClientRect().width);
  const places = [];
  for (const t of seen.texts.toReversed()) {
    if (!t.text.toLowerCase().includes(want)) continue;
    // Text on a hidden canvas is shown through the visible one.
    const canvas = canvases.includes(t.canvas) ? t.canvas : canvases[0];
    if (!canvas) break;
    const r = canvas.getBoundingClientRect();
    places.push({ x: r.x + t.x * r.width, y: r.y + t.y * r.height - 4 });
    if (places.length === 3) break;
  }
  return places;
}
