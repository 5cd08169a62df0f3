/*
title: A consent dialog
kind: trap

A question about cookies comes up and goes away when it is answered: a bar at the bottom, a box in the middle over a
dimmed page, a modal dialog, or a box with a cross in its corner.
*/
if (self.window && window === window.top) {
  const made = () => {
    const design = fault.seed % 4;
    const box = document.createElement(design === 2 ? 'dialog' : 'div');
    const shade = document.createElement('div');
    const text = document.createElement('p');
    text.textContent = ['We use cookies to count visits.', 'Before you play: may we store cookies on this device?', 'Your privacy. This site and its partners store information.', 'We value your privacy.'][design];
    text.style.cssText = 'color:#222 !important; font:inherit; margin:0 0 12px; opacity:1';
    const button = (label, primary) => {
      const b = document.createElement('button');
      b.textContent = label;
      b.style.cssText = `font:600 16px "DejaVu Sans", sans-serif; padding:10px 22px; margin:0 6px; border-radius:8px; border:1px solid #345; cursor:pointer; background:${primary ? '#1f6f54' : '#fff'}; color:${primary ? '#fff' : '#234'}`;
      b.addEventListener('click', (e) => { e.stopPropagation(); box.close?.(); box.remove(); shade.remove(); });
      return b;
    };
    const base = 'position:fixed; z-index:2147483647; background:#fff; color:#222; font:16px/1.5 "DejaVu Sans", sans-serif; box-shadow:0 8px 40px #0008; text-align:center;';
    const yes = button(['Accept', 'Accept all', 'Agree', '×'][design], design !== 3);
    yes.dataset.faultDismiss = '';
    if (design === 3) { yes.setAttribute('aria-label', 'Close'); yes.style.cssText += '; position:absolute; right:8px; top:8px; margin:0; padding:2px 10px'; }
    box.style.cssText = base + (design === 0 ? 'left:0; right:0; bottom:0; padding:14px' : 'left:50%; top:50%; transform:translate(-50%,-50%); width:460px; padding:34px 28px; border-radius:14px; border:0; margin:0');
    box.append(text, yes);
    if (design === 1) box.append(button('Reject all', false));
    if (design === 1 || design === 3) {
      shade.style.cssText = 'position:fixed; inset:0; z-index:2147483646; background:#000a';
      document.body.append(shade);
    }
    document.body.append(box);
    if (design === 2) box.showModal();
  };
  document.addEventListener('DOMContentLoaded', () => setTimeout(made, fault.pick(0, 900)));
}
