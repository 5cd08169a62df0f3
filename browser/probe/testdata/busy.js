// Runs draw(n) in every frame and measures how long it takes, after a warm-up.
const times = [];
let wanted = Infinity, done;
const measured = (n) => new Promise((resolve) => { wanted = n; done = resolve; });
function run(draw) {
  let n = 0;
  (function frame() {
    const t = performance.now();
    draw(n++);
    if (n > 30) times.push(performance.now() - t);
    if (times.length >= wanted) { done(times); return; }
    requestAnimationFrame(frame);
  })();
}
