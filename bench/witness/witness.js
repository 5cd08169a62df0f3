// Counts, before the game's first line, which of the game's own listeners hear of trusted input, and remembers where text was painted. It changes nothing that the game could notice in play.
(() => {
  const seen = { reached: {}, texts: [], roots: [] };
  Object.defineProperty(self, '__witness', { value: seen });
  // A fault's script has removed itself from the document by the time it runs; the game's have not.
  const ofFault = () => document.currentScript !== null && !document.currentScript.isConnected;
  const wrappers = new WeakMap();
  const wrap = (listener) => {
    if (!listener || (typeof listener !== 'function' && typeof listener !== 'object') || ofFault()) return listener;
    if (!wrappers.has(listener)) {
      wrappers.set(listener, function (event) {
        if (event && event.isTrusted) seen.reached[event.type] = (seen.reached[event.type] || 0) + 1;
        return typeof listener === 'function' ? listener.apply(this, arguments) : listener.handleEvent(event);
      });
    }
    return wrappers.get(listener);
  };
  const input = /^(key|pointer|mouse|touch|drag|drop|click|dblclick|input|beforeinput|change|submit|wheel)/;
  const add = EventTarget.prototype.addEventListener;
  const remove = EventTarget.prototype.removeEventListener;
  EventTarget.prototype.addEventListener = function (type, listener, options) {
    return add.call(this, type, input.test(type) ? wrap(listener) : listener, options);
  };
  EventTarget.prototype.removeEventListener = function (type, listener, options) {
    return remove.call(this, type, wrappers.get(listener) || listener, options);
  };
  for (const proto of [window, Document.prototype, HTMLElement.prototype, SVGElement.prototype]) {
    for (const name of Object.getOwnPropertyNames(proto)) {
      if (!name.startsWith('on') || !input.test(name.slice(2))) continue;
      const own = Object.getOwnPropertyDescriptor(proto, name);
      if (own && own.set) Object.defineProperty(proto, name, { ...own, set(listener) { own.set.call(this, wrap(listener)); } });
    }
  }
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (...args) { const root = attach.apply(this, args); seen.roots.push(root); return root; };
  for (const type of [CanvasRenderingContext2D, self.OffscreenCanvasRenderingContext2D]) {
    if (!type) continue;
    for (const name of ['fillText', 'strokeText']) {
      const draw = type.prototype[name];
      type.prototype[name] = function (text, x, y, ...rest) {
        const at = this.getTransform().transformPoint({ x, y });
        seen.texts.push({ text: String(text), canvas: this.canvas, x: at.x / this.canvas.width, y: at.y / this.canvas.height });
        if (seen.texts.length > 300) seen.texts.shift();
        return draw.call(this, text, x, y, ...rest);
      };
    }
  }
})();
