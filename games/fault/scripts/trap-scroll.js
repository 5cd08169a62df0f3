/*
title: A page that scrolls
kind: trap

The page is three screens tall. The game lies at its top, or below a heading, and there is text underneath.
*/
if (self.window && window === window.top) {
  const made = () => {
    const below = document.createElement('section');
    below.style.cssText = 'position:absolute; left:0; right:0; height:200vh; padding:40px 15%; background:#eef1ee; color:#333; font:18px/1.6 "DejaVu Sans", sans-serif; box-sizing:border-box; z-index:0';
    for (let i = 0; i < 12; i++) {
      const p = document.createElement('p');
      p.textContent = 'More games, news and letters from players. Paragraph ' + (i + 1) + ' of the page underneath.';
      below.append(p);
    }
    const style = document.createElement('style');
    style.textContent = 'html { overflow-y:scroll !important; height:auto !important } body { overflow:visible !important }';
    document.head.append(style);
    if (fault.seed % 2 === 0) {
      // Like a site's heading above the game; a screen's height keeps the game whole in the window after a scroll.
      const above = document.createElement('header');
      const tall = fault.pick(60, 140);
      above.style.cssText = `height:${tall}px; line-height:${tall}px; padding:0 40px; background:#dfe8e2; color:#243; font-family:"DejaVu Sans", sans-serif; font-size:28px; position:relative; box-sizing:border-box`;
      above.textContent = 'The Arcade Page';
      document.documentElement.insertBefore(above, document.body);
      document.body.style.position = 'relative';
    }
    document.documentElement.append(below);
    // Below everything that the page has of its own, whenever that comes.
    const place = () => {
      const top = Math.max(innerHeight, document.body.offsetTop + document.body.scrollHeight) + 'px';
      if (below.style.top !== top) below.style.top = top;
    };
    place();
    setInterval(place, 250);
  };
  document.addEventListener('DOMContentLoaded', made);
}
