/*
title: Attract mode
kind: trap

A picture that plays with itself lies over the game until the first key or click, which does nothing else.
*/
if (self.window && window === window.top) {
  const made = () => {
    const show = document.createElement('canvas');
    show.dataset.faultCover = 'input';
    show.style.cssText = 'position:fixed; inset:0; width:100vw; height:100vh; z-index:2147483647; display:block; visibility:visible';
    show.width = 640;
    show.height = 360;
    document.body.append(show);
    const ctx = show.getContext('2d');
    const balls = Array.from({ length: 7 }, (_, i) => ({ x: 80 * i + 40, y: 60 + 35 * i, dx: 2 + (i * fault.seed) % 3, dy: 1.5 + i % 3, hue: (i * 50 + fault.seed * 40) % 360 }));
    let live = true;
    const draw = () => {
      if (!live) return;
      ctx.fillStyle = '#0d1020';
      ctx.fillRect(0, 0, 640, 360);
      for (const b of balls) {
        b.x += b.dx;
        b.y += b.dy;
        if (b.x < 14 || b.x > 626) b.dx = -b.dx;
        if (b.y < 14 || b.y > 346) b.dy = -b.dy;
        ctx.fillStyle = `hsl(${b.hue} 80% 60%)`;
        ctx.beginPath();
        ctx.arc(b.x, b.y, 14, 0, 7);
        ctx.fill();
      }
      ctx.fillStyle = '#fff';
      ctx.font = '28px "DejaVu Sans", sans-serif';
      ctx.textAlign = 'center';
      ctx.fillText('DEMO', 320, 60);
      if (Math.floor(performance.now() / 600) % 2) ctx.fillText(['PRESS ANY KEY', 'CLICK TO PLAY', 'TAP OR PRESS A KEY'][fault.seed % 3], 320, 300);
      requestAnimationFrame(draw);
    };
    draw();
    const types = ['keydown', 'keypress', 'keyup', 'pointerdown', 'pointerup', 'mousedown', 'mouseup', 'click', 'touchstart', 'touchend'];
    let leaving = false;
    const end = (e) => {
      if (!e.isTrusted || !live) return;
      e.stopImmediatePropagation();
      if (e.cancelable) e.preventDefault();
      if (leaving || !/^(keydown|pointerdown)$/.test(e.type)) return;
      leaving = true;
      // The rest of the same gesture still belongs to the demo.
      setTimeout(() => { live = false; show.remove(); for (const t of types) window.removeEventListener(t, end, true); }, 250);
    };
    for (const t of types) window.addEventListener(t, end, { capture: true, passive: false });
  };
  document.addEventListener('DOMContentLoaded', made);
}
