// Runs on an element or text that is about to be acted on. Waits until it
// stands still, looks for a point of it that can be hit, and says what is in
// the way where there is none. Points are fractions of its box.
async function (fractions) {
  const element = this.nodeType === 1 ? this : this.parentElement;
  if (!element || !element.isConnected) return { gone: true };
  const box = () => {
    if (this.nodeType === 1) return this.getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(this);
    return range.getBoundingClientRect();
  };
  // A frame tells whether it stands still; time alone does so only where no frames
  // come, since on a busy machine they come late.
  const frame = () => new Promise((go) => {
    const timer = setTimeout(() => go(false), 60);
    requestAnimationFrame(() => { clearTimeout(timer); go(true); });
  });
  // An animation that was set off a moment ago has not moved it yet. Endless ones are not waited for.
  const animated = () => {
    for (let n = element; n; n = n.parentElement || n.getRootNode().host) {
      if (n.getAnimations?.().some((a) => (a.pending || a.playState === 'running') && a.effect && a.effect.getComputedTiming().endTime < 5000)) return true;
    }
    return false;
  };
  let rect = box(), frameless = 0;
  for (let i = 0; i < 30; i++) {
    const came = await frame();
    const next = box();
    const still = Math.abs(next.x - rect.x) + Math.abs(next.y - rect.y) +
      Math.abs(next.width - rect.width) + Math.abs(next.height - rect.height) < 0.5;
    rect = next;
    if (still && (came && !animated() || !came && ++frameless === 4)) break;
  }
  if (!element.isConnected) return { gone: true };
  if (rect.width === 0 || rect.height === 0) return { hidden: true };
  const root = element.getRootNode();
  const within = (hit) => {
    for (let n = hit; n; n = n.parentNode || n.host) if (n === element) return true;
    if (element.labels) for (const l of element.labels) if (l.contains(hit)) return true;
    // An option or a tab's text may lie in an element that passes the click on.
    return hit.tagName === 'LABEL' && hit.control === element;
  };
  const name = (e) => {
    let s = e.tagName.toLowerCase();
    if (e.id) s += '#' + e.id;
    else if (e.classList && e.classList.length) s += '.' + [...e.classList].slice(0, 2).join('.');
    const text = (e.getAttribute('aria-label') || e.innerText || '').trim().replace(/\s+/g, ' ').slice(0, 60);
    return text ? s + ' "' + text + '"' : s;
  };
  let cover = '';
  let outside = 0;
  for (const [fx, fy] of fractions) {
    const x = rect.x + rect.width * fx;
    const y = rect.y + rect.height * fy;
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) { outside++; continue; }
    const hit = root.elementFromPoint(x, y);
    if (!hit) { outside++; continue; }
    if (within(hit)) {
      return { x, y, fx, fy, disabled: element.matches(':disabled') || element.getAttribute('aria-disabled') === 'true' };
    }
    cover ||= name(hit);
  }
  return outside === fractions.length ? { offscreen: true } : { cover };
}
