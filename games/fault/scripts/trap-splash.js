/*
title: A splash screen for five seconds
kind: trap

A logo covers the whole window for four and a half to five and a half seconds and then goes away by itself.
*/
if (self.window && window === window.top) {
  const made = () => {
    const splash = document.createElement('div');
    splash.dataset.faultCover = 'waits';
    splash.style.cssText = 'position:fixed; inset:0; z-index:2147483647; background:#15202b; color:#e8eef4; display:grid; place-items:center; font:600 44px/1.2 "DejaVu Sans", sans-serif; transition:opacity .3s';
    splash.textContent = ['Paper Lantern Studio', 'made with Plinth', 'Quiet Harbour Games'][fault.seed % 3];
    document.body.append(splash);
    const shown = fault.pick(4500, 5500);
    setTimeout(() => { splash.style.opacity = '0'; }, shown - 300);
    setTimeout(() => splash.remove(), shown);
  };
  document.addEventListener('DOMContentLoaded', made);
}
