// Says how this page fits the window that it has now, once it was drawn in it.
new Promise((done) => {
  const measure = () => {
    const wide = Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth);
    let canvas = null, area = 0;
    for (const c of document.querySelectorAll('canvas')) {
      const box = c.getBoundingClientRect();
      if (box.width * box.height > area) [canvas, area] = [box, box.width * box.height];
    }
    const across = canvas && Math.max(0, Math.min(canvas.right, innerWidth) - Math.max(canvas.left, 0));
    const down = canvas && Math.max(0, Math.min(canvas.bottom, innerHeight) - Math.max(canvas.top, 0));
    let small = 0;
    for (const el of document.querySelectorAll('button,a[href],input:not([type=hidden]),select,[role=button],[onclick]')) {
      const box = el.getBoundingClientRect();
      if (box.width > 1 && box.height > 1 && (box.width < 24 || box.height < 24) && !(el.tagName === 'A' && el.closest('p'))) small++;
    }
    done({
      declares: /width/i.test(document.querySelector('meta[name=viewport]')?.content || ''),
      wide, small, shown: canvas ? Math.round(100 * across * down / area) / 100 : -1,
    });
  };
  // Games lay themselves out anew some time after they are told; one that draws no frame
  // is measured all the same.
  setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(measure)), 150);
  setTimeout(measure, 1000);
})
