/*
title: All pointer events are swallowed
kind: fault
checks: controlsResponsive
needs: pointer
shows: deaf

The first listener on the window stops every mouse, pointer, touch and drag event before the game sees it.
*/
if (self.window) {
  const stop = (e) => {
    e.stopImmediatePropagation();
    // Links, forms and drags work without a listener.
    if (e.cancelable && (e.type === 'click' || e.type === 'dragstart')) e.preventDefault();
  };
  const types = ['click', 'dblclick', 'auxclick', 'contextmenu', 'wheel',
    'pointerdown', 'pointerup', 'pointermove', 'pointerrawupdate', 'pointerover', 'pointerout', 'pointerenter', 'pointerleave', 'pointercancel',
    'mousedown', 'mouseup', 'mousemove', 'mouseover', 'mouseout', 'mouseenter', 'mouseleave',
    'touchstart', 'touchmove', 'touchend', 'touchcancel',
    'dragstart', 'drag', 'dragenter', 'dragover', 'dragleave', 'drop', 'dragend'];
  for (const type of types) window.addEventListener(type, stop, { capture: true, passive: false });
}
