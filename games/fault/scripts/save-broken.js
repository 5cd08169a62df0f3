/*
title: A saved game breaks the start
kind: fault
checks: gameLoaded controlsResponsive
shows: deaf stuck

What the game reads of its own from the storage was cut off when it was written: half of a JSON object, or the word undefined.
*/
if (self.window) {
  const cut = ['{"level":3,"score":12', 'undefined', '[1,2'][fault.seed % 3];
  Storage.prototype.getItem = () => cut;
}
