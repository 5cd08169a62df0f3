/*
title: Something opaque lies over the game
kind: fault
checks: gameLoaded controlsResponsive gameStable
shows: plain

A plain sheet covers the window, on top of everything, and never goes away.
*/
if (self.window && window === window.top) {
  const sheet = document.createElement('div');
  const colour = ['#101418', '#f4f4f4', '#2b4a6f'][fault.seed % 3];
  sheet.style.cssText = `position:fixed !important; inset:0 !important; z-index:2147483647 !important; background:${colour} !important; display:block !important; opacity:1 !important;`;
  const lay = () => { if (document.body && sheet.parentNode !== document.body) document.body.append(sheet); };
  new MutationObserver(lay).observe(document, { childList: true, subtree: true });
  document.addEventListener('DOMContentLoaded', lay);
}
