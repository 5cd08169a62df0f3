// Says of each selector what its element is now, in the order of the selectors:
// {shown, text, looks}, or null where there is none.
(selectors) => selectors.map((selector) => {
  let e = null;
  try {
    e = selector && document.querySelector(selector);
  } catch {
    return null;
  }
  if (!e) return null;
  const r = e.getBoundingClientRect();
  const text = ('value' in e && typeof e.value === 'string' ? e.value : e.textContent) || '';
  return {
    shown: e.checkVisibility({opacityProperty: true, visibilityProperty: true}) && r.width > 0 && r.height > 0,
    text: text.trim().slice(0, 200),
    looks: e.outerHTML.slice(0, 2000) + [r.x, r.y, r.width, r.height],
  };
})
