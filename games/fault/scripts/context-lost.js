/*
title: The WebGL context is lost
kind: fault
checks: gameStable gameLoaded controlsResponsive
needs: webgl
shows: still plain

Two to five seconds after it was made the game's WebGL context is lost, and never restored.
*/
for (const type of [self.HTMLCanvasElement, self.OffscreenCanvas]) {
  if (!type) continue;
  const get = type.prototype.getContext;
  const seen = new WeakSet();
  type.prototype.getContext = function (kind, ...rest) {
    const context = get.call(this, kind, ...rest);
    if (context && /webgl/i.test(kind) && !seen.has(context)) {
      seen.add(context);
      setTimeout(() => context.getExtension('WEBGL_lose_context')?.loseContext(), fault.pick(2000, 5000));
    }
    return context;
  };
}
