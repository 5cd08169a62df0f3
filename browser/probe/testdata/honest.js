// Describes the global object, the wrapped functions and the errors they throw,
// so that a page with the probe and one without can be compared line by line.
(() => {
  const out = [];
  const say = (...words) => out.push(words.join(' '));
  const names = (o) => Reflect.ownKeys(o).map(String).join(',');
  const show = (f) => `${Function.prototype.toString.call(f)} ${f.toString()} ${f + ''} ${f.name} ${f.length} ${names(f)} ${'prototype' in f}`;
  const attempt = (label, f) => {
    try { say(label, 'gave', f()); } catch (e) {
      say(label, 'threw', e.name, e.message, e instanceof Error, e.constructor && e.constructor.name, /playtest/.test(e.stack));
    }
  };

  say('window', Object.getOwnPropertyNames(window).filter((n) => !/^(honest|html)$/.test(n)).join(','));
  say('symbols', Object.getOwnPropertySymbols(window).map(String).join(','));
  say('keys', Object.keys(window).join(','));
  say('ownKeys', Reflect.ownKeys(window).length, Object.keys(Object.getOwnPropertyDescriptors(window)).length);
  const inside = []; for (const k in window) inside.push(k);
  say('for in', inside.join(','));

  for (const name of ['Object', 'Reflect', 'Function', 'EventTarget', 'Event', 'KeyboardEvent', 'UIEvent', 'MouseEvent', 'TouchEvent', 'WheelEvent', 'CanvasRenderingContext2D',
    'OffscreenCanvasRenderingContext2D', 'WebGLRenderingContext', 'WebGL2RenderingContext', 'HTMLCanvasElement', 'OffscreenCanvas', 'Storage', 'Element',
    'Navigator', 'MediaDevices', 'HTMLMediaElement', 'HTMLImageElement', 'WebAssembly', 'AudioContext', 'BaseAudioContext', 'Worker', 'IDBObjectStore', 'WebGLRenderingContext']) {
    const C = window[name];
    if (!C) continue;
    say(name, names(C), typeof C === 'function' ? show(C) : '');
    for (const owner of [C, C.prototype]) {
      if (!owner) continue;
      for (const k of Reflect.ownKeys(owner)) {
        const d = Object.getOwnPropertyDescriptor(owner, k);
        say(name, String(k), d.configurable, d.enumerable, d.writable);
        for (const f of [d.value, d.get, d.set]) if (typeof f === 'function' && owner !== window) say(' ', show(f));
      }
    }
  }
  for (const name of ['requestAnimationFrame', 'setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'createImageBitmap', 'AudioContext', 'Worker', 'webkitAudioContext']) {
    const d = Object.getOwnPropertyDescriptor(window, name);
    if (!d) continue;
    say(name, d.configurable, d.enumerable, d.writable, show(d.value));
    attempt('new ' + name, () => typeof new d.value());
    // V8 itself quotes the source of a function that is no constructor.
    if (d.value.prototype) attempt('extends ' + name, () => typeof class extends d.value {});
  }

  const ctx = document.createElement('canvas').getContext('2d');
  attempt('constructor', () => new CanvasRenderingContext2D());
  attempt('illegal method', () => CanvasRenderingContext2D.prototype.fillRect.call({}, 1, 2, 3, 4));
  attempt('too few arguments', () => ctx.fillRect(1));
  attempt('drawImage', () => ctx.drawImage(null, 0, 0));
  attempt('drawImage of a missing picture', () => { const i = new Image(); return ctx.drawImage(i, 0, 0); });
  attempt('fillText', () => ctx.fillText());
  attempt('fillText of a symbol', () => ctx.fillText(Symbol('x'), 0, 0));
  attempt('illegal getter', () => KeyboardEvent.prototype.key);
  attempt('illegal setter', () => { HTMLImageElement.prototype.src = 'x'; });
  attempt('preventDefault', () => Event.prototype.preventDefault.call(1));
  attempt('addEventListener', () => addEventListener());
  attempt('addEventListener with a number', () => addEventListener('click', 5));
  attempt('addEventListener of null', () => EventTarget.prototype.addEventListener.call(undefined, 'x', () => {}));
  attempt('setTimeout', () => setTimeout());
  attempt('setTimeout elsewhere', () => setTimeout.call({}, () => {}));
  attempt('requestAnimationFrame', () => requestAnimationFrame());
  attempt('requestAnimationFrame of a number', () => requestAnimationFrame(5));
  attempt('getContext', () => HTMLCanvasElement.prototype.getContext.call({}, '2d'));
  attempt('getContext without', () => document.createElement('canvas').getContext());
  attempt('attachShadow', () => document.createElement('img').attachShadow({ mode: 'open' }));
  attempt('attachShadow twice', () => { const d = document.createElement('div'); d.attachShadow({ mode: 'open' }); d.attachShadow({ mode: 'open' }); });
  attempt('AudioContext', () => AudioContext());
  attempt('AudioContext at a rate', () => new AudioContext({ sampleRate: 1 }));
  attempt('Worker', () => new Worker());
  attempt('Worker elsewhere', () => new Worker('https://example.invalid/'));
  attempt('toString', () => Function.prototype.toString.call({}));
  attempt('toString of a proxy', () => Function.prototype.toString.call(new Proxy(setTimeout, {})));
  attempt('toString of a class', () => (class A { b() {} }).toString());
  attempt('bound', () => setTimeout.bind(window).toString() + setTimeout.bind(window).name);
  attempt('quota', () => localStorage.setItem('x', 'y'.repeat(1e7)));
  attempt('names of nothing', () => Object.getOwnPropertyNames(null));
  attempt('keys of a number', () => Reflect.ownKeys(1));
  attempt('frozen names', () => Object.isFrozen(Object.getOwnPropertyNames({ a: 1 })));

  const audio = new AudioContext();
  say('audio', audio instanceof AudioContext, audio.constructor === AudioContext, AudioContext.prototype.constructor === AudioContext,
    window.webkitAudioContext === undefined || window.webkitAudioContext === AudioContext, Object.prototype.toString.call(audio), Object.getPrototypeOf(AudioContext).name);
  class Mine extends AudioContext { hello() { return 'hi'; } }
  const mine = new Mine();
  say('subclass', mine instanceof Mine, mine instanceof AudioContext, mine.hello(), mine.constructor.name);
  const worker = new Worker('data:text/javascript,0');
  say('worker', worker instanceof Worker, worker.constructor === Worker);

  // A frame's untouched functions are the usual way to catch a wrapper.
  const frame = document.body.appendChild(document.createElement('iframe'));
  const theirs = frame.contentWindow;
  for (const [label, f] of [['fillRect', CanvasRenderingContext2D.prototype.fillRect], ['setTimeout', setTimeout], ['toString', Function.prototype.toString],
    ['key', Object.getOwnPropertyDescriptor(KeyboardEvent.prototype, 'key').get], ['AudioContext', AudioContext]]) {
    say('frame', label, theirs.Function.prototype.toString.call(f));
  }
  say('from the frame', Function.prototype.toString.call(theirs.CanvasRenderingContext2D.prototype.fillRect), Function.prototype.toString.call(theirs.Function.prototype.toString));
  say('frame names', theirs.Object.getOwnPropertyNames(window).length - Object.getOwnPropertyNames(window).length, theirs.Reflect.ownKeys(theirs).map(String).join(','));
  frame.remove();

  // Arguments are asked for their value once, in order.
  const order = [];
  const num = (n) => ({ valueOf() { order.push(n); return n; } });
  ctx.fillText({ toString() { order.push('text'); return 'x'; } }, num(1), num(2));
  ctx.drawImage(document.createElement('canvas').getContext('2d') && new OffscreenCanvas(9, 9), num(3), num(4), num(5), num(6));
  ctx.setTransform(num(7), 0, 0, num(8), 0, 0);
  say('order', order.join(','));
  return out;
})()
