/*
title: An endless loop on the first input
kind: fault
checks: gameStable controlsResponsive
shows: hung

The first key, click or touch sends the main thread into a loop that never ends.
*/
if (self.window) {
  for (const type of ['keydown', 'mousedown', 'pointerdown', 'touchstart', 'dragstart']) {
    window.addEventListener(type, (e) => { if (e.isTrusted) for (;;); }, true);
  }
}
