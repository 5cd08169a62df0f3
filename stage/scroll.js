// Scrolls the element, or what scrolls around it.
function (method, percent) {
  let e = this.nodeType === 1 ? this : this.parentElement;
  const scrolls = (n) => n.scrollHeight > n.clientHeight + 1 && /auto|scroll|overlay/.test(getComputedStyle(n).overflowY);
  while (e && e !== document.body && e !== document.documentElement && !scrolls(e)) e = e.parentElement;
  const page = document.scrollingElement || document.documentElement;
  if (!e || e === document.body || e === document.documentElement) e = page;
  const height = e === page ? innerHeight : e.clientHeight;
  if (method === 'scrollTo') e.scrollTo({ top: (e.scrollHeight - height) * percent / 100, behavior: 'instant' });
  else e.scrollBy({ top: method === 'nextChunk' ? height * 0.9 : -height * 0.9, behavior: 'instant' });
  return '';
}
