/*
title: A noisy console
kind: trap

The page writes errors and warnings to its console, in bursts and all the time, that mean nothing.
*/
if (self.window) {
  const words = ['deprecated: use the new API', 'texture pool exceeded, falling back', 'Failed to preload optional sound', 'audio context was not allowed to start', 'WebSocket telemetry closed'];
  for (let i = 0; i < 15; i++) console[i % 3 ? 'warn' : 'error'](words[i % words.length], { code: i });
  let n = 0;
  setInterval(() => { n++; console[n % 2 ? 'error' : 'warn'](`${words[n % words.length]} (${n})`); }, fault.pick(80, 400));
}
