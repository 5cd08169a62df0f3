// Finds what keeps people out of this document: those who cannot see it, cannot use a
// mouse, or need it larger.
(() => {
  const found = {};
  const told = (el) => {
    const text = (el.textContent || '').trim().replace(/\s+/g, ' ').slice(0, 40);
    return el.tagName.toLowerCase() + (el.id ? '#' + el.id : '') + (text ? ' “' + text + '”' : '');
  };
  const add = (kind, el) => {
    const b = found[kind] ||= { kind, count: 0, examples: [] };
    b.count++;
    if (el && b.examples.length < 3) b.examples.push(told(el).slice(0, 80));
  };
  const shown = (el) => {
    if (el.checkVisibility && !el.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    const box = el.getBoundingClientRect();
    return box.width > 1 && box.height > 1;
  };
  const named = (el) => {
    const by = (el.getAttribute('aria-labelledby') || '').split(/\s+/).map((id) => document.getElementById(id)?.textContent || '').join('');
    const inside = [...el.querySelectorAll('img[alt],[aria-label],svg title')].map((e) => e.getAttribute('alt') || e.getAttribute('aria-label') || e.textContent).join('');
    const labels = [...(el.labels || [])].map((l) => l.textContent).join('');
    const own = el.matches('input[type=button],input[type=submit],input[type=reset]') ? el.value || el.type : '';
    return [el.getAttribute('aria-label'), by, labels, own, el.alt, el.title, el.placeholder, el.textContent, inside].some((s) => s && String(s).trim());
  };
  const NATIVE = 'button,a[href],input:not([type=hidden]),select,textarea,summary,area[href]';
  if (self === top) {
    if (!document.documentElement.lang.trim()) add('language');
    if (!document.title.trim()) add('title');
    const viewport = document.querySelector('meta[name=viewport]')?.content || '';
    const most = /maximum-scale\s*=\s*([\d.]+)/i.exec(viewport);
    if (/user-scalable\s*=\s*(no|0)/i.test(viewport) || most && +most[1] < 2) add('zoom');
  }
  for (const el of document.querySelectorAll('img:not([alt])')) if (shown(el) && !el.closest('[aria-hidden=true]') && el.getAttribute('role') !== 'presentation') add('picture', el);
  for (const el of document.querySelectorAll(NATIVE + ',[role=button],[role=link]')) if (shown(el) && !named(el)) add('name', el);
  for (const el of document.querySelectorAll('[onclick]')) if (shown(el) && !el.matches(NATIVE + ',label,body,html') && el.tabIndex < 0) add('keyboard', el);
  for (const el of document.querySelectorAll('canvas')) {
    const box = el.getBoundingClientRect();
    if (shown(el) && box.width * box.height > 0.1 * innerWidth * innerHeight && !named(el) && !el.closest('[aria-label],[aria-labelledby]')) add('canvas', el);
  }

  // Contrast of text, as far as its background is a plain colour.
  const rgba = (text) => {
    const m = /^rgba?\(([^)]+)\)$/.exec(text);
    if (!m) return null;
    const n = m[1].split(/[,/\s]+/).filter(Boolean).map(Number);
    return n.length < 3 || n.some(Number.isNaN) ? null : [n[0], n[1], n[2], n.length > 3 ? n[3] : 1];
  };
  const light = (c) => {
    const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (el) => {
    for (let e = el; e; e = e.parentElement) {
      const style = getComputedStyle(e);
      if (style.backgroundImage !== 'none' || +style.opacity < 1 || style.position === 'absolute' || style.position === 'fixed') {
        const own = rgba(style.backgroundColor);
        return own && own[3] === 1 && style.backgroundImage === 'none' ? own : null; // what lies behind it is not known
      }
      const c = rgba(style.backgroundColor);
      if (!c) return null;
      if (c[3] === 1) return c;
      if (c[3] > 0) return null;
    }
    return [255, 255, 255, 1];
  };
  let looked = 0;
  const texts = document.createTreeWalker(document.body || document.documentElement, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  for (let node; looked < 300 && (node = texts.nextNode());) {
    const el = node.parentElement;
    if (!node.data.trim() || !el || seen.has(el) || el.closest('script,style,noscript,canvas,[aria-hidden=true],:disabled') || !shown(el)) continue;
    seen.add(el);
    looked++;
    const style = getComputedStyle(el);
    const ink = rgba(style.color), paper = behind(el);
    if (!ink || ink[3] < 1 || !paper || style.backgroundClip === 'text') continue;
    const [a, b] = [light(ink.slice(0, 3)), light(paper.slice(0, 3))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const px = parseFloat(style.fontSize), large = px >= 24 || px >= 18.66 && +style.fontWeight >= 700;
    if (ratio < (large ? 3 : 4.5)) add('contrast', el);
  }
  return Object.values(found);
})()
