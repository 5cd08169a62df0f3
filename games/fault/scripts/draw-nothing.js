/*
title: Drawing calls do nothing
kind: fault
checks: gameLoaded gameStable
needs: canvas
shows: plain

The game draws on its canvas, 2D or WebGL, on the page or in a worker, and nothing appears.
*/
const nothing = (type, names) => {
  if (!type) return;
  for (const name of names) if (typeof type.prototype[name] === 'function') type.prototype[name] = function () {};
};
const flat = ['fill', 'stroke', 'fillRect', 'strokeRect', 'clearRect', 'fillText', 'strokeText', 'drawImage', 'putImageData'];
nothing(self.CanvasRenderingContext2D, flat);
nothing(self.OffscreenCanvasRenderingContext2D, flat);
const deep = ['drawArrays', 'drawElements', 'drawArraysInstanced', 'drawElementsInstanced', 'drawRangeElements', 'blitFramebuffer'];
nothing(self.WebGLRenderingContext, deep);
nothing(self.WebGL2RenderingContext, deep);
nothing(self.ImageBitmapRenderingContext, ['transferFromImageBitmap']);
for (const type of [self.WebGLRenderingContext]) {
  if (!type) continue;
  const extension = type.prototype.getExtension;
  type.prototype.getExtension = function (name) {
    const found = extension.call(this, name);
    if (found && /instanced_arrays/i.test(name)) { found.drawArraysInstancedANGLE = function () {}; found.drawElementsInstancedANGLE = function () {}; }
    return found;
  };
}
