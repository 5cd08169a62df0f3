// Takes the focus off a button that was clicked before, and gives it to the
// game's field where one can have it and nothing else has: keys that are listened
// to there reach nobody otherwise. The page itself keeps the focus, since many
// games pause without it.
(() => {
  const a = document.activeElement;
  if (a && a.matches('button, a, summary, [role=button], input[type=button], input[type=submit], input[type=checkbox], input[type=radio], select')) a.blur();
  if (window === top && !document.hasFocus()) focus();
  const b = document.activeElement;
  if (!document.hasFocus() || (b && b !== document.body && b !== document.documentElement)) return;
  const inside = (from, to, end) => Math.max(0, Math.min(to, end) - Math.max(from, 0));
  let best = null, most = 0.02 * innerWidth * innerHeight;
  for (const e of document.querySelectorAll('[tabindex]:not(body, input, textarea, select, button, a, summary, [role=button])')) {
    const r = e.getBoundingClientRect(), area = inside(r.left, r.right, innerWidth) * inside(r.top, r.bottom, innerHeight);
    const scrolls = e.scrollHeight > e.clientHeight && /auto|scroll/.test(getComputedStyle(e).overflowY);
    if (area > most && !scrolls && e.checkVisibility({ visibilityProperty: true })) [best, most] = [e, area];
  }
  best?.focus({ preventScroll: true });
})()
//# sourceURL=playtest:focus
