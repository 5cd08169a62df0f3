/*
title: Memory grows without end
kind: issue
mentions: memory heap grow

Every tenth of a second the page keeps another megabyte or two that it never lets go.
*/
if (self.window && window === window.top) {
  const kept = [];
  const size = fault.pick(120, 240) * 1000;
  setInterval(() => {
    // Numbers that are no small integers, so that they are really stored.
    if (kept.length < 600) kept.push(new Array(size).fill(kept.length + 0.5));
  }, 100);
  // Somebody has to look at them, or they could be let go.
  window.addEventListener('pagehide', () => kept.at(-1)?.at(-1));
}
