// Runs on a document, shadow root or element and lists the elements in it that a
// selector fits, in the order of the page. Open shadow roots are searched too,
// except by XPath, which knows none.
function (kind, value, limit) {
  const found = [];
  const add = (e) => { if (e && e.nodeType === 1 && !found.includes(e)) found.push(e); };
  const roots = (root, visit) => {
    visit(root);
    for (const e of root.querySelectorAll('*')) if (e.shadowRoot) roots(e.shadowRoot, visit);
    if (root.shadowRoot) roots(root.shadowRoot, visit);
  };
  const everywhere = (css) => roots(this, (root) => {
    const list = root.querySelectorAll(css);
    if (found.length === 0) found.push(...list);
    else for (const e of list) add(e);
  });
  const evaluate = (path, node) => {
    const document = node.nodeType === 9 ? node : node.ownerDocument;
    const r = document.evaluate(path, node, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
    for (let i = 0; i < r.snapshotLength; i++) {
      const n = r.snapshotItem(i);
      add(n.nodeType === 3 ? n.parentElement : n);
    }
  };
  switch (kind) {
    case 'css':
      everywhere(value);
      break;
    case 'id':
      everywhere('[id="' + CSS.escape(value) + '"]');
      break;
    case 'testid':
      everywhere(['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa'].map((a) => `[${a}="${CSS.escape(value)}"]`).join(','));
      break;
    case 'xpath': {
      if (this.nodeType === 9) { evaluate(value, this); break; }
      if (this.nodeType === 1) { evaluate(value.startsWith('/') ? '.' + value : value, this); break; }
      // A shadow root is nothing that XPath can start from, but its children are.
      if (value.startsWith('//')) {
        for (const c of this.children) evaluate('descendant-or-self::node()' + value.slice(1), c);
        break;
      }
      const first = /^\/?([\w-]+)(?:\[(\d+)\])?(.*)$/s.exec(value);
      if (!first) throw new SyntaxError('not a path that can start in a shadow root: ' + value);
      const twins = [...this.children].filter((c) => c.localName === first[1].toLowerCase());
      for (const c of first[2] ? twins.slice(first[2] - 1, first[2]) : twins) {
        if (first[3]) evaluate('.' + first[3], c);
        else add(c);
      }
      break;
    }
    case 'text': {
      const fold = (s) => s.replace(/\s+/g, ' ').trim();
      const quoted = /^"(.*)"$/s.exec(value);
      const want = quoted ? fold(quoted[1]) : fold(value).toLowerCase();
      const skip = /^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE|HEAD|TITLE)$/;
      const fits = (s) => quoted ? fold(s) === want : fold(s).toLowerCase().includes(want);
      const said = (e) => e.matches('input[type=submit],input[type=button],input[type=reset]') ? e.value : e.textContent;
      roots(this, (root) => {
        for (const e of root.querySelectorAll('*')) {
          if (skip.test(e.tagName) || e.closest('head,script,style,template')) continue;
          // The smallest element that says it, not all that are around it.
          if (fits(said(e)) && ![...e.children].some((c) => !skip.test(c.tagName) && fits(said(c)))) add(e);
        }
      });
      break;
    }
  }
  const count = found.length;
  return [count, ...found.slice(0, limit)];
}
