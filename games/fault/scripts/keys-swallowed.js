/*
title: All keys are swallowed
kind: fault
checks: controlsResponsive
needs: keys
shows: deaf

The first listener on the window stops every key event before the game sees it.
*/
if (self.window) {
  const stop = (e) => {
    e.stopImmediatePropagation();
    // What is typed into a field would still arrive without a key event.
    if (e.target instanceof Element && e.target.matches('input, textarea, [contenteditable]')) e.preventDefault();
  };
  for (const type of ['keydown', 'keypress', 'keyup', 'beforeinput', 'input']) window.addEventListener(type, stop, true);
}
