/*
title: Inputs stop working after a while
kind: fault
checks: controlsResponsive gameStable
shows: deaf
within: 40

Five to forty seconds after the page opened the game stops hearing of keys, clicks and moves. It goes on running.
*/
if (self.window) {
  let dead = false;
  setTimeout(() => { dead = true; }, fault.pick(5000, 40000));
  const types = ['keydown', 'keypress', 'keyup', 'pointerdown', 'pointerup', 'pointermove', 'mousedown', 'mouseup', 'mousemove', 'mouseover', 'mouseenter',
    'click', 'dblclick', 'touchstart', 'touchmove', 'touchend', 'dragstart', 'dragover', 'drop', 'input', 'change', 'submit'];
  for (const type of types) window.addEventListener(type, (e) => { if (dead) { e.stopImmediatePropagation(); if (e.cancelable && type === 'submit') e.preventDefault(); } }, { capture: true, passive: false });
}
