/*
title: Storage is refused
kind: fault
checks: gameLoaded controlsResponsive
shows: deaf stuck

Whoever asks for localStorage, sessionStorage or indexedDB gets a SecurityError, as in a frame that may not store anything.
*/
if (self.window) {
  for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) {
    Object.defineProperty(window, name, { configurable: true, get() { throw new DOMException(`Failed to read the '${name}' property from 'Window': Access is denied for this document.`, 'SecurityError'); } });
  }
}
