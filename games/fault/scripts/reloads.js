/*
title: The page loads itself again and again
kind: fault
checks: gameStable
shows: reloads

Every two to five seconds the page loads itself again, whatever the player does.
*/
if (self.window && window === window.top) setTimeout(() => location.reload(), fault.pick(2000, 5000));
