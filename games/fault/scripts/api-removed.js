/*
title: A removed function of the browser
kind: fault
checks: controlsResponsive gameLoaded gameStable
shows: deaf stuck still

Something that older browsers had is gone: the codes of keys, frames under their old names and the new one, what a game
draws texts and images with, or how it finds its elements. Which it is differs from seed to seed.
*/
const gone = [
  () => { for (const name of ['keyCode', 'which', 'charCode']) Object.defineProperty((self.KeyboardEvent || Event).prototype, name, { get: () => undefined }); },
  () => { for (const name of ['requestAnimationFrame', 'webkitRequestAnimationFrame']) self[name] = undefined; },
  () => { if (self.CanvasRenderingContext2D) for (const name of ['drawImage', 'fillText']) delete CanvasRenderingContext2D.prototype[name]; },
  () => { if (self.document) for (const name of ['getElementsByClassName', 'getElementById']) delete Document.prototype[name]; },
];
gone[fault.seed % gone.length]();
