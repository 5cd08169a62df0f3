/*
title: Every start throws the player back
kind: fault
checks: gameStable
needs: waits
shows: reloads

Shortly after the first key or click the page loads itself again, so that nobody gets past the start.
*/
if (self.window && window === window.top) {
  let set = false;
  const again = (e) => {
    if (!e.isTrusted || set) return;
    set = true;
    setTimeout(() => location.reload(), fault.pick(300, 1200));
  };
  for (const type of ['keydown', 'mousedown', 'pointerdown', 'touchstart']) window.addEventListener(type, again, true);
  // Frames of another origin keep their input to themselves, but they take the focus.
  window.addEventListener('blur', () => { if (document.activeElement instanceof HTMLIFrameElement) again({ isTrusted: true }); });
}
