// Finds where an element is by now, if it is not at the noted place any more.
(selector, x, y) => {
  const e = document.querySelector(selector), r = e && e.getBoundingClientRect();
  if (!r || !r.width || !r.height || (x > r.left && x < r.right && y > r.top && y < r.bottom)) return null;
  const cx = r.left + r.width / 2, cy = r.top + r.height / 2;
  return cx > 0 && cy > 0 && cx < innerWidth && cy < innerHeight ? { x: cx, y: cy } : null;
}
