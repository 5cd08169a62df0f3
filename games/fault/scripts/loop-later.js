/*
title: An endless loop after some seconds
kind: fault
checks: gameStable
shows: hung

Two to six seconds after the page opened, its main thread is caught in a loop that never ends.
*/
if (self.window) setTimeout(() => { for (;;); }, fault.pick(2000, 6000));
