/*
title: One key is dead
kind: issue
mentions: key respond unresponsive dead
needs: onekey

One of the game's keys, another for each seed, does nothing. The others work.
*/
if (self.window && fault.game.spareKeys.length) {
  const keys = fault.game.spareKeys;
  const dead = new Set([keys[fault.seed % keys.length]]);
  // Only native functions differ between the dead key and the others, so that code coverage cannot tell them apart.
  const native = [Event.prototype.composedPath, Event.prototype.stopImmediatePropagation];
  const filter = (e) => { native[Number(dead.has(e.code))].call(e); };
  for (const type of ['keydown', 'keypress', 'keyup']) window.addEventListener(type, filter, true);
}
