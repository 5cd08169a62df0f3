// Says of each selector what its element looks like now: a list of
// {found, shown, text, looks, x, y, w, h}, in the order of the selectors.
(selectors) => selectors.map((selector) => {
  let e = null;
  try {
    e = document.querySelector(selector);
  } catch {
    return {invalid: true};
  }
  if (!e) return {found: false};
  const r = e.getBoundingClientRect();
  const text = ('value' in e && typeof e.value === 'string' ? e.value : e.textContent) || '';
  return {
    found: true,
    shown: e.checkVisibility({opacityProperty: true, visibilityProperty: true}) && r.width > 0 && r.height > 0,
    text: text.trim().slice(0, 200),
    looks: e.outerHTML.slice(0, 2000) + [r.x, r.y, r.width, r.height],
    x: r.x, y: r.y, w: r.width, h: r.height,
  };
})
