/*
title: The page goes elsewhere
kind: fault
checks: gameStable
shows: left

Three to seven seconds after the page opened, or in the middle of play, it leaves for an empty page or a parked address on
another site.
*/
if (self.window && window === window.top) {
  setTimeout(() => {
    if (fault.seed % 3 === 0) { location.href = 'about:blank'; return; }
    const away = new URL('./~parked/', location.href);
    if (away.hostname === '127.0.0.1') away.hostname = 'localhost';
    else if (away.hostname === 'localhost') away.hostname = '127.0.0.1';
    location.href = away.href;
  }, fault.pick(3000, 7000));
}
