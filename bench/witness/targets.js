// Where the game lies in its frame, and what in it can be clicked or dragged.
() => {
  const roots = [document, ...self.__witness.roots];
  const inWindow = (r) => r.width > 8 && r.height > 8 && r.x < innerWidth && r.y < innerHeight && r.right > 0 && r.bottom > 0;
  const box = (el) => { const r = el.getBoundingClientRect(); return { x: r.x, y: r.y, width: r.width, height: r.height, right: r.right, bottom: r.bottom }; };
  const all = (query) => roots.flatMap((root) => [...root.querySelectorAll(query)]).map(box).filter(inWindow);
  const area = (r) => r.width * r.height;
  const canvases = all('canvas').sort((a, b) => area(b) - area(a));
  const leads = (el) => { const a = el.closest('a[href]'); return a && !/^(#|javascript:|$)/i.test(a.getAttribute('href')); };
  const clickable = roots.flatMap((root) => [...root.querySelectorAll('*')]).filter((el) => !leads(el)).filter((el) => el.matches('button, [role=button], [tabindex], td') || (el.children.length === 0 && getComputedStyle(el).cursor === 'pointer'));
  return {
    canvas: canvases[0] || null,
    click: clickable.map(box).filter(inWindow).slice(0, 40),
    drag: all('[draggable=true]').slice(0, 12),
    fields: all('input:not([type=button]), textarea').slice(0, 1),
  };
}
