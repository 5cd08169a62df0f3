/*
title: A font is missing
kind: trap

A web font that the page asks for answers 404. The page falls back to another one.
*/
if (self.window) {
  const style = document.createElement('style');
  style.textContent = '@font-face { font-family:"Absent Sans"; src:url("./~absent/sans.woff2") format("woff2") } html { font-family:"Absent Sans", sans-serif }';
  document.addEventListener('DOMContentLoaded', () => {
    document.head.append(style);
    new FontFace('Absent Serif', 'url("./~absent/serif.woff2")').load().catch((e) => console.warn('font not loaded', e.name));
  });
}
