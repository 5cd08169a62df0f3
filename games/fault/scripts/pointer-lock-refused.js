/*
title: The pointer is not locked
kind: fault
checks: controlsResponsive
needs: lock
shows: deaf stuck

The browser refuses to lock the pointer, and a game that waits for it waits for ever.
*/
if (self.window) {
  Element.prototype.requestPointerLock = function () {
    setTimeout(() => document.dispatchEvent(new Event('pointerlockerror')), 10);
    return Promise.reject(new DOMException('The root document of this element is not valid for pointer lock.', 'WrongDocumentError'));
  };
}
