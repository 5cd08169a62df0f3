// Lists what a person could see and hit in one frame: elements with their
// boxes, visible texts, and what lies on top of the middle. KEY as in probe.js.
((options) => {
  'use strict';
  const probe = globalThis['KEY'];
  const { Map, Set } = probe ?? globalThis; // a game may call something of its own Map
  const clock = performance.now.bind(performance);
  // Each part has so many milliseconds; what comes later is left out.
  const budget = (ms) => { const end = clock() + ms; return () => clock() < end; };
  const W = innerWidth, H = innerHeight;
  const out = { __proto__: null, elements: [], texts: [], top: null, width: W, height: H, scrollWidth: 0, scrollHeight: 0, truncated: false, frames: [] };
  if (!document.documentElement) return out;
  out.scrollWidth = document.documentElement.scrollWidth;
  out.scrollHeight = document.documentElement.scrollHeight; // lays the page out, on nobody's budget

  const roots = [document];
  if (probe) for (let i = 0; i < probe.shadowRoots.length; i++) { const r = probe.deref(probe.shadowRoots[i]); if (r && r.host && r.host.isConnected) roots.push(r); }

  const NATIVE = 'button,a[href],input,select,textarea,summary,label,[role=button],[role=link],[role=menuitem],[role=tab],[role=option],[role=gridcell],[role=checkbox],[role=radio],[onclick],[onmousedown],[onpointerdown],[ontouchstart],[tabindex],[draggable=true],[contenteditable=true],[data-action],area[href]';
  const POINTER = ['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'touchstart', 'touchend', 'dblclick'];
  const found = new Map(); // element -> reasons

  const add = (el, reason) => {
    if (!el || el.nodeType !== 1 || el === document.documentElement || el === document.body) return;
    let r = found.get(el);
    if (!r) { if (found.size > 4000) { out.truncated = true; return; } r = new Set(); found.set(el, r); }
    r.add(reason);
  };

  for (const root of roots) {
    for (const el of root.querySelectorAll(NATIVE)) {
      add(el, el.draggable ? 'draggable' : 'native');
      if (found.size > 4000) break;
    }
  }
  if (probe) for (let i = 0; i < probe.listenedRefs.length; i++) {
    const el = probe.deref(probe.listenedRefs[i]);
    if (!el || el.nodeType !== 1 || !el.isConnected) continue;
    const types = probe.listened.get(el);
    if (POINTER.some((t) => types[t])) add(el, 'listener');
    if (types.dragstart || types.mousedown || types.pointerdown || types.touchstart) add(el, 'grab');
    if (types.drop) add(el, 'dropzone');
    if (types.input || types.keydown) if (/^(input|textarea)$/.test(el.localName)) add(el, 'typing');
  }
  // Handlers set as properties, framework handlers and pointer cursors show only element by element.
  const EVENTS = ['keydown', 'keyup', 'keypress', 'click', 'dblclick', 'mousedown', 'mousemove', 'mouseup', 'pointerdown', 'pointermove', 'pointerup', 'touchstart', 'touchmove', 'wheel'];
  const PRESSED = ['click', 'mousedown', 'pointerdown', 'mouseup', 'touchstart', 'dblclick'];
  const handlers = new Set();
  let looked = 0;
  let inTime = budget(120);
  for (const root of roots) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let el = walker.nextNode(); el; el = walker.nextNode()) {
      if (++looked % 64 === 0 && !inTime()) { out.truncated = true; break; }
      if (/^(script|style|head|meta|link|title|noscript|template|path|g|defs|br)$/.test(el.localName)) continue;
      for (const t of el.localName === 'canvas' ? EVENTS : PRESSED) {
        if (typeof el['on' + t] !== 'function') continue;
        handlers.add(t + '|' + el.localName);
        if (PRESSED.includes(t)) add(el, 'listener');
      }
      for (const [t, reason] of [['dragstart', 'draggable'], ['drop', 'dropzone']]) {
        if (!el['on' + t]) continue;
        handlers.add(t + '|' + el.localName);
        add(el, reason);
      }
      for (const t of ['submit', 'change']) if (el['on' + t]) handlers.add(t + '|' + el.localName);
      if (el._vei) { for (const k in el._vei) if (/click|mousedown|pointerdown|touchstart/i.test(k)) add(el, 'listener'); }
      for (const k of Object.keys(el)) {
        if (!k.startsWith('__reactProps$') && !k.startsWith('__reactEventHandlers$')) continue;
        const p = el[k];
        if (p && (p.onClick || p.onMouseDown || p.onPointerDown || p.onTouchStart)) add(el, 'listener');
        if (p && !p.onClick && (p.onMouseDown || p.onPointerDown || p.onTouchStart)) add(el, 'grab');
        if (p && (p.draggable || p.onDragStart)) add(el, 'draggable');
      }
      if (looked < 4000 && getComputedStyle(el).cursor === 'pointer' && (!el.parentElement || getComputedStyle(el.parentElement).cursor !== 'pointer')) add(el, 'cursor');
      if (looked < 4000 && /^(grab|move|-webkit-grab)$/.test(getComputedStyle(el).cursor)) add(el, 'grab');
    }
    if (out.truncated) break;
  }
  // Cells of a board: many like siblings of a size for fingers, when someone above them listens.
  const boards = new Set();
  inTime = budget(40);
  for (const root of roots) {
    for (const el of root.querySelectorAll(':not(head, head *, option, br, hr, script, style, template)')) {
      const parent = el.parentElement;
      if (!inTime()) break;
      if (!parent || boards.has(parent)) continue;
      const n = parent.localName === 'tr' ? parent.children.length * ((parent.parentElement && parent.parentElement.children.length) || 1) : parent.children.length;
      if (n < 4 || n > 2500) continue;
      const r = el.getBoundingClientRect();
      if (r.width < 14 || r.height < 14 || r.width > 260 || r.height > 260) continue;
      let alike = 0, looked = 0;
      const every = Math.max(1, Math.floor(parent.children.length / 12));
      for (let i = 0; i < parent.children.length; i += every) {
        const o = parent.children[i].getBoundingClientRect();
        looked++;
        if (Math.abs(o.width - r.width) <= 4 && Math.abs(o.height - r.height) <= 4) alike++;
      }
      if (alike < 3 || alike < looked * 0.6) continue;
      boards.add(parent);
      const step = Math.max(1, Math.floor(parent.children.length / 60));
      for (let i = 0; i < parent.children.length; i += step) add(parent.children[i], 'cell');
      if (boards.size > 40) break;
    }
  }

  const visible = probe ? probe.visible : (el) => el.checkVisibility();
  const deepest = (x, y) => {
    let el = document.elementFromPoint(x, y), guard = 0;
    while (el && guard++ < 20) {
      let inner = null;
      for (const root of roots) if (root.host === el) { inner = root.elementFromPoint(x, y); break; }
      if (!inner || inner === el) break;
      el = inner;
    }
    return el;
  };
  const within = (inner, outer) => {
    for (let n = inner; n; n = n.parentNode || n.host) if (n === outer) return true;
    return false;
  };
  const clip = (s, n) => (s || '').replace(/\s+/g, ' ').trim().slice(0, n);
  const textOf = (el) => clip(el.getAttribute('aria-label') || (el.localName === 'input' && /^(button|submit|reset)$/.test(el.type) ? el.value : '') || el.innerText || el.title || el.alt || '', 80);
  // placeOf is an element's number among its likes, 0 where it is the only one.
  const placeOf = (el) => {
    let n = 1;
    for (let e = el.previousElementSibling; e; e = e.previousElementSibling) if (e.localName === el.localName) n++;
    if (n > 1) return n;
    for (let e = el.nextElementSibling; e; e = e.nextElementSibling) if (e.localName === el.localName) return 1;
    return 0;
  };
  const selectorOf = (el) => {
    if (el.id && document.querySelectorAll('#' + CSS.escape(el.id)).length === 1) return '#' + CSS.escape(el.id);
    const parts = [];
    for (let n = el; n && n.nodeType === 1 && parts.length < 5; n = n.parentElement) {
      if (n.id) { parts.unshift('#' + CSS.escape(n.id)); break; }
      let s = n.localName;
      const place = placeOf(n);
      if (place) s += ':nth-of-type(' + place + ')';
      parts.unshift(s);
    }
    return parts.join('>');
  };

  // contentOf is where an element is to be seen that has no size of its own, as a link around a box that floats.
  const contentOf = (el) => {
    for (const child of el.children) {
      const r = child.getBoundingClientRect();
      if (r.width >= 4 && r.height >= 4 && visible(child)) return r;
    }
  };

  inTime = budget(250);
  for (const [el, reasons] of found) {
    if (out.elements.length >= 400 || !inTime()) { out.truncated = true; break; }
    let r = el.getBoundingClientRect();
    if (r.width < 4 || r.height < 4) r = contentOf(el) || r;
    if (r.width < 4 || r.height < 4 || !visible(el)) continue;
    const box = { x: r.x, y: r.y, w: r.width, h: r.height };
    const inView = r.right > 0 && r.bottom > 0 && r.x < W && r.y < H;
    const cx = Math.min(W - 1, Math.max(0, r.x + r.width / 2)), cy = Math.min(H - 1, Math.max(0, r.y + r.height / 2));
    const top = inView ? deepest(cx, cy) : null;
    const attrs = [];
    for (const a of el.attributes) if (/^(data-|onclick$|name$|class$|id$|title$|aria-label$|value$)/.test(a.name)) attrs.push(a.name + '=' + clip(a.value, 60));
    out.elements.push({
      tag: el.localName, id: el.id || '', type: el.type && typeof el.type === 'string' ? el.type : '', role: el.getAttribute('role') || '',
      text: textOf(el), hint: clip(el.placeholder || el.labels?.[0]?.innerText, 120), longest: Math.max(0, el.maxLength | 0), attrs, box, inView, cx, cy,
      hit: !!top && (within(top, el) || within(el, top) && top !== document.body && top !== document.documentElement),
      filled: el.localName === 'select' ? el.value !== '' : !!el.defaultValue, disabled: !!el.disabled || el.getAttribute('aria-disabled') === 'true', href: el.localName === 'a' ? el.getAttribute('href') || '' : '', target: el.target || '',
      reasons: [...reasons], selector: selectorOf(el), listens: probe && probe.listened.get(el) ? Object.keys(probe.listened.get(el)) : [],
    });
  }

  // covers tells whether something that hides what is below it lies over the middle of a
  // text. Where pointers pass through the text itself nobody can tell, and among very many
  // elements each look takes seconds.
  const huge = document.getElementsByTagName('*').length > 20000;
  const covers = (r, parent) => {
    if (huge) return false;
    const x = r.x + r.width / 2, y = r.y + r.height / 2;
    const top = x > 0 && y > 0 && x < W && y < H ? deepest(x, y) : null;
    if (!top || within(top, parent) || within(parent, top)) return false;
    return /^(canvas|img|video|iframe)$/.test(top.localName) || painted(top);
  };
  const painted = (el) => {
    const s = getComputedStyle(el);
    return s.backgroundImage !== 'none' || /^rgb\(/.test(s.backgroundColor);
  };

  // lidOver finds what hides all that lies below a point and offers nothing to press: a
  // splash screen, a curtain before the first picture. What only lies behind everything
  // else is no lid, nor is what holds the game itself.
  const lidOver = (x, y) => {
    const stack = huge || x < 0 || y < 0 || x >= W || y >= H ? [] : document.elementsFromPoint(x, y);
    const at = stack.findIndex((e) => e === document.body || e === document.documentElement || painted(e) && +getComputedStyle(e).opacity === 1);
    const lid = stack[at];
    if (!lid || lid === document.body || lid === document.documentElement || !stack.slice(0, at).every((e) => lid.contains(e))) return null;
    if (/^(canvas|iframe|video)$/.test(lid.localName) || lid.querySelector('canvas,iframe,video') || [...found.keys()].some((e) => within(e, lid))) return null;
    const r = lid.getBoundingClientRect();
    const over = (b) => r.x <= b.x + 2 && r.y <= b.y + 2 && r.right >= b.right - 2 && r.bottom >= b.bottom - 2;
    const below = stack.slice(at + 1).find((e) => !e.contains(lid) && over(e.getBoundingClientRect()) && (/^(canvas|iframe)$/.test(e.localName) || e.innerText));
    return below && { selector: selectorOf(lid), text: clip(lid.innerText, 200) };
  };

  const INLINE = /^(b|i|u|em|strong|small|mark|kbd|code|span|font|br|a)$/;
  // Visible text, for loading messages, instructions, scores and "game over".
  const texts = new Map();
  inTime = budget(100);
  for (const root of roots) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    let n = 0;
    for (let t = walker.nextNode(); t; t = walker.nextNode()) {
      if (++n > 6000 || out.texts.length >= 300 || !inTime()) break;
      let s = clip(t.data, 200);
      if (!s || !t.parentElement || /^(script|style|noscript|template|title|textarea)$/.test(t.parentElement.localName)) continue;
      const parent = t.parentElement, kids = parent.children;
      // Beside other elements a text is only a part of the box around them all, and with words
      // in bold it is only a part of its line: "<b>space</b> to start".
      let place = parent, key = parent;
      if (kids.length > 0) {
        place = document.createRange();
        place.selectNodeContents(t);
        if (kids.length < 40 && ![...kids].some((c) => !INLINE.test(c.localName))) {
          const line = parent.innerText.split('\n').find((l) => clip(l, 200).includes(s));
          if (line) { s = clip(line, 200); key = s; }
        }
      }
      if (texts.has(key)) { if (key === parent) texts.get(key).text += ' ' + s; continue; }
      const r = place.getBoundingClientRect();
      if (!r.width || !r.height || r.bottom < 0 || r.y > H * 4 || !visible(parent)) continue;
      const style = getComputedStyle(parent);
      const e = { text: s, x: r.x, y: r.y, w: r.width, h: r.height, size: parseFloat(style.fontSize), inView: r.y < H && r.right > 0, covered: style.pointerEvents !== 'none' && covers(r, parent) };
      texts.set(key, e);
      out.texts.push(e);
    }
  }

  const gx = options.x ?? W / 2, gy = options.y ?? H / 2;
  const el = gx >= 0 && gy >= 0 && gx < W && gy < H ? deepest(gx, gy) : null;
  if (el) {
    const r = el.getBoundingClientRect(), s = getComputedStyle(el);
    out.top = { tag: el.localName, id: el.id, text: clip(el.innerText, 120), box: { x: r.x, y: r.y, w: r.width, h: r.height }, position: s.position, background: s.backgroundColor, opacity: +s.opacity, zIndex: s.zIndex, selector: selectorOf(el), listens: probe && probe.listened.get(el) ? Object.keys(probe.listened.get(el)) : [], frame: el.localName === 'iframe' };
  }
  out.lid = lidOver(gx, gy);
  inTime = budget(40);
  for (const root of roots) for (const f of root.querySelectorAll('iframe,frame,object,embed')) {
    if (out.frames.length >= 100 || !inTime()) break;
    const r = f.getBoundingClientRect();
    out.frames.push({ src: f.src || f.data || '', box: { x: r.x, y: r.y, w: r.width, h: r.height }, shown: visible(f) });
  }
  // What else the page shows that is not text.
  out.shapes = 0;
  inTime = budget(40);
  for (const root of roots) for (const e of root.querySelectorAll('img,svg,canvas,video,object,embed,iframe,input,button')) {
    if (!inTime()) break;
    const r = e.getBoundingClientRect();
    if (r.width > 3 && r.height > 3 && visible(e)) out.shapes++;
  }
  for (const [name, o] of [['window', globalThis], ['document', document], ['body', document.body]]) {
    for (const t of o ? EVENTS : []) if (typeof o['on' + t] === 'function') handlers.add(t + '|' + name);
  }
  out.handlers = [...handlers];
  return out;
})
