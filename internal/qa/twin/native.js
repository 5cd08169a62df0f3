// The page may call things of its own Map or Promise, and may replace what they can do.
const { Promise, Proxy, MessageChannel, MutationObserver } = globalThis;
const { apply: invoke, construct: make } = Reflect, { ceil, floor, imul, max, min, abs } = Math;
const halt = globalThis.Event?.prototype.stopImmediatePropagation;
const kept = (Native) => {
  class Kept extends Native {}
  for (const name of Reflect.ownKeys(Native.prototype)) {
    if (name !== 'constructor') Object.defineProperty(Kept.prototype, name, Object.getOwnPropertyDescriptor(Native.prototype, name));
  }
  return Kept;
};
const [Map, WeakMap, WeakSet, Set] = [globalThis.Map, globalThis.WeakMap, globalThis.WeakSet, globalThis.Set].map(kept);
// Some pages refuse to run when the browser's own functions are not native code: what is
// replaced below says that it is.
const owned = [globalThis, Math, Date, globalThis.CSSStyleSheet?.prototype];
for (const name of Object.getOwnPropertyNames(globalThis)) {
  if (/^(Performance|Crypto|Response|XMLHttpRequest|FontFace|BaseAudioContext|Element|HTML\w*Element|\w*RenderingContext\w*)$/.test(name)) owned.push(globalThis[name]?.prototype);
}
const ownFunctions = (owner) => {
  const out = [];
  for (const name of Object.getOwnPropertyNames(owner)) {
    const d = Object.getOwnPropertyDescriptor(owner, name);
    for (const f of [d.value, d.set]) if (typeof f === 'function') out.push([name, f]);
  }
  return out;
};
const originals = new WeakSet();
for (const owner of owned) if (owner) for (const [, f] of ownFunctions(owner)) originals.add(f);
const hideReplaced = () => {
  const replaced = new WeakMap(), text = Function.prototype.toString;
  for (const owner of owned) if (owner) for (const [name, f] of ownFunctions(owner)) if (!originals.has(f)) replaced.set(f, name);
  const toString = { toString() { return replaced.has(this) ? `function ${replaced.get(this)}() { [native code] }` : invoke(text, this, []); } }.toString;
  replaced.set(toString, 'toString');
  Function.prototype.toString = toString;
};
