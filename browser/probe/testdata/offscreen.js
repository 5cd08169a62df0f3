// The game's loop, away from the page.
onmessage = (e) => {
  const ctx = e.data.getContext('2d');
  ctx.textBaseline = 'top';
  setTimeout(() => {
    (function loop() {
      ctx.clearRect(0, 0, 300, 200);
      ctx.fillRect(5, 5, 10, 10);
      ctx.fillText('FROM AFAR', 20, 30);
      requestAnimationFrame(loop);
    })();
  });
};
