// Notes the distances of the frames that this page draws, and how soon after a key or a
// press of the pointer the next one was drawn.
{
  const key = Symbol.for('playtest.survey');
  if (!self[key]) {
    const gaps = [], inputs = [];
    let last = 0, over = false;
    requestAnimationFrame(function frame(now) {
      if (over) return;
      if (last) gaps.push(Math.round(10 * (now - last)) / 10);
      last = now;
      if (gaps.length < MOST) requestAnimationFrame(frame);
    });
    const noted = (event) => {
      if (!event.isTrusted || inputs.length >= MOST) return;
      const from = event.timeStamp;
      // A message that is sent in a frame arrives when that frame was drawn.
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => { port1.close(); inputs.push(Math.round(10 * (performance.now() - from)) / 10); };
        port2.postMessage(0);
      });
    };
    for (const type of ['keydown', 'pointerdown']) addEventListener(type, noted, { capture: true, passive: true });
    self[key] = () => {
      over = true;
      delete self[key];
      for (const type of ['keydown', 'pointerdown']) removeEventListener(type, noted, { capture: true });
      return { gaps, inputs };
    };
  }
}
