// The game that the hostile pages are about: a box that the arrows move, under
// a bar that never rests. It needs nothing that they may have broken.
const c = document.createElement('canvas');
c.width = 640; c.height = 420;
document.body.insertBefore(c, document.body.firstChild);
const ctx = c.getContext('2d');
let x = 300, y = 200, n = 0;
addEventListener('keydown', (e) => {
  if (e.code === 'ArrowLeft' && x > 20) x -= 20;
  if (e.code === 'ArrowRight' && x < 580) x += 20;
  if (e.code === 'ArrowUp' && y > 60) y -= 20;
  if (e.code === 'ArrowDown' && y < 360) y += 20;
});
(function loop() {
  n++;
  ctx.fillStyle = '#135'; ctx.fillRect(0, 0, 640, 420);
  ctx.fillStyle = '#7ac'; ctx.fillRect(n * 3 % 640, 10, 60, 30);
  ctx.fillStyle = '#fc4'; ctx.fillRect(x, y, 44, 44);
  requestAnimationFrame(loop);
})();
