/*
title: The page crashes
kind: fault
checks: gameStable
shows: crashed

Two to six seconds after the page opened its renderer dies. Splitting a string of 2^28 letters asks V8 for an array
longer than it can ever make, which it answers by ending the process, at once and without using up the memory.
*/
if (self.window && window === window.top) {
  setTimeout(() => { 'ab'.repeat(2 ** 27).split(''); }, fault.pick(2000, 6000));
}
