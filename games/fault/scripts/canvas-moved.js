/*
title: The canvas ends up off the screen
kind: fault
checks: gameLoaded gameStable controlsResponsive
needs: canvas
shows: plain
within: 40

At once, or up to forty seconds after the page opened, every canvas is moved out of the window. The game runs on.
*/
if (self.window) {
  const rule = ['transform: translateX(-300vw)', 'position: fixed; left: -9999px', 'margin-left: 400vw'][fault.seed % 3];
  const move = () => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`canvas { ${rule.replaceAll(';', ' !important;')} !important }`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  };
  if (fault.seed % 2) setTimeout(move, fault.pick(3000, 40000)); else move();
}
