// Reads what lies in the window of one document, in the columns that
// DOMSnapshot.captureSnapshot answers with. It returns a list: the columns as
// JSON, and after them the nodes to be described for their backend ids, each with
// all that is below it or alone.
(styleNames) => {
  const SMALL = 60; // elements in view with no more below them are taken whole
  const width = innerWidth, height = innerHeight;
  const kept = new Set(), whole = new Set();
  const inner = (e) => e.shadowRoot ? [e.shadowRoot, ...e.childNodes] : e.childNodes;
  const controls = 'a[href],button,input:not([type=hidden]),select,textarea,[role=button],[role=link],[role=checkbox],[role=tab],[role=menuitem],[onclick]';

  const take = (n) => {
    kept.add(n);
    whole.add(n);
    for (const c of n.nodeType === 1 ? inner(n) : n.childNodes) take(c);
  };
  const texts = (n) => { for (let c = n.firstChild; c; c = c.nextSibling) if (c.nodeType === 3) kept.add(c); };
  const hosts = (e) => { for (const c of e.getElementsByTagName('*')) if (c.shadowRoot) return true; return !!e.shadowRoot; };
  const visit = (e) => {
    const r = e.getBoundingClientRect();
    const seen = r.top < height && r.bottom > 0 && r.right > 0 && r.left < width && r.width > 0 && r.height > 0;
    if (seen && e !== document.body && e !== document.documentElement) {
      const one = e.localName === 'select' || e.localName === 'svg'; // what is inside is theirs, however much
      if ((one || e.getElementsByTagName('*').length <= SMALL) && !hosts(e)) {
        take(e);
        return true;
      }
    }
    let any = seen;
    const root = e.shadowRoot;
    if (root) {
      let below = false;
      for (let c = root.firstElementChild; c; c = c.nextElementSibling) if (visit(c)) below = true;
      if (below || seen) {
        kept.add(root);
        texts(root);
        any = true;
      }
    }
    for (let c = e.firstElementChild; c; c = c.nextElementSibling) if (visit(c)) any = true;
    if (any) {
      kept.add(e);
      if (seen) texts(e);
    }
    return any;
  };
  visit(document.documentElement);
  // What names a control belongs to it, wherever it lies.
  const around = (n) => { take(n); for (let p = n.parentNode; p && !kept.has(p); p = p.parentNode) kept.add(p); };
  for (const e of [...kept]) {
    if (e.nodeType !== 1) continue;
    for (const label of e.labels ?? []) if (!kept.has(label)) around(label);
    for (const id of (e.getAttribute('aria-labelledby') ?? '').split(/\s+/)) {
      const by = id && e.getRootNode().getElementById?.(id);
      if (by && !kept.has(by)) around(by);
    }
  }

  const strings = [], index = new Map();
  const str = (s) => { let i = index.get(s); if (i === undefined) { index.set(s, i = strings.length); strings.push(s); } return i; };
  const rare = () => ({ index: [], value: [] });
  const nodes = { parentIndex: [], nodeType: [], nodeName: [], nodeValue: [], attributes: [], shadowRootType: rare(), textValue: rare(), inputValue: rare(), inputChecked: rare(), optionSelected: rare() };
  const layout = { nodeIndex: [], styles: [], bounds: [] };
  const asked = [], plain = new Map(); // elements that only a listener makes a control, and which they are of all
  const natural = /^(a|button|input|select|option|optgroup|textarea|label|summary|svg|script|style|br|html|head|body)$/;
  const roots = [], described = [], places = []; // which node of the columns each description begins at, and whether it has all below
  const edges = /^(padding|border)-/; // matter for frames alone
  const range = document.createRange();
  const families = new Map();
  // Which of its siblings of one name each child is, and how many there are.
  const siblings = (parent) => {
    let family = families.get(parent);
    if (family) return family;
    families.set(parent, family = { nth: new Map(), all: new Map() });
    for (let c = parent.firstElementChild; c; c = c.nextElementSibling) {
      const n = (family.all.get(c.nodeName) ?? 0) + 1;
      family.all.set(c.nodeName, n);
      if (kept.has(c)) family.nth.set(c, n);
    }
    return family;
  };
  const put = (n, parent, covered, shown, styles) => {
    const i = nodes.parentIndex.length;
    nodes.parentIndex.push(parent);
    nodes.nodeType.push(n.nodeType);
    nodes.nodeName.push(str(n.nodeName));
    nodes.nodeValue.push(n.nodeType === 3 ? str(n.data) : -1);
    nodes.attributes.push([]);
    const blank = n.nodeType === 3 && n.data.trim() === '';
    if (!covered && !blank && n.nodeType !== 11) {
      covered = whole.has(n);
      roots.push(n);
      described.push([i, covered ? 1 : 0]);
    }
    const lay = (r) => { layout.nodeIndex.push(i); layout.styles.push(styles); layout.bounds.push([r.left + scrollX, r.top + scrollY, r.width, r.height]); };
    if (n.nodeType === 3) {
      if (!shown) return;
      range.selectNodeContents(n);
      const boxes = range.getClientRects();
      if (boxes.length > 0) lay(boxes.length === 1 ? boxes[0] : range.getBoundingClientRect());
      return;
    }
    if (n.nodeType === 1) {
      for (const a of n.attributes) nodes.attributes[i].push(str(a.name), str(a.value));
      const style = getComputedStyle(n);
      shown = shown && style.display !== 'none';
      const frame = n.localName === 'iframe' || n.localName === 'frame';
      styles = styleNames.map((s) => frame || !edges.test(s) ? str(style.getPropertyValue(s)) : -1);
      if (shown && style.display !== 'contents') lay(n.getBoundingClientRect());
      const tag = n.localName;
      if (shown && !natural.test(tag) && style.cursor !== 'pointer' && asked.length < 400) { asked.push([i, -1]); plain.set(n, asked.length - 1); }
      if (tag === 'input') { nodes.inputValue.index.push(i); nodes.inputValue.value.push(str(n.value)); if (n.checked) nodes.inputChecked.index.push(i); }
      if (tag === 'textarea') { nodes.textValue.index.push(i); nodes.textValue.value.push(str(n.value)); }
      if (tag === 'option' && n.selected) nodes.optionSelected.index.push(i);
      if (parent >= 0 && n.parentNode && !whole.has(n.parentNode)) {
        const { nth, all } = siblings(n.parentNode);
        places.push([i, nth.get(n), all.get(n.nodeName)]);
      }
    }
    if (n.nodeType === 11) { nodes.shadowRootType.index.push(i); nodes.shadowRootType.value.push(str('open')); }
    for (const c of n.nodeType === 1 ? inner(n) : n.childNodes) if (kept.has(c) && (c.nodeType === 1 || c.nodeType === 3 || c.nodeType === 11)) put(c, i, covered, shown, styles);
  };
  nodes.parentIndex.push(-1); nodes.nodeType.push(9); nodes.nodeName.push(str('#document')); nodes.nodeValue.push(-1); nodes.attributes.push([]);
  if (kept.has(document.documentElement)) put(document.documentElement, 0, false, true, []);
  if (plain.size > 0) {
    let i = 0, left = plain.size;
    for (const e of document.getElementsByTagName('*')) {
      const at = plain.get(e);
      if (at !== undefined) {
        asked[at][1] = i;
        if (--left === 0) break;
      }
      i++;
    }
  }
  let beyond = document.querySelectorAll(controls).length;
  for (const n of kept) if (n.nodeType === 1 && n.getRootNode() === document && n.matches(controls)) beyond--;
  return [JSON.stringify({
    strings, described, asked, places, beyond, elements: document.getElementsByTagName('*').length,
    document: {
      title: str(document.title), documentURL: str(document.URL), baseURL: str(document.baseURI), scrollOffsetX: scrollX, scrollOffsetY: scrollY,
      contentHeight: (document.scrollingElement ?? document.documentElement).scrollHeight, nodes, layout,
    },
  }), ...roots];
}
