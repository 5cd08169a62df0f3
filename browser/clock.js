// Gives a page's code a clock that stands still while the page is held. Real
// time is mapped to the page's: a hold is a stretch in which no time passes.
// Until the first hold the map changes nothing.
(() => {
  const key = Symbol.for('playtest.clock');
  if (globalThis[key]) return false;
  const holds = []; // [from, to], both in real milliseconds of this world
  const now = performance.now.bind(performance);
  const lived = (t) => {
    let lost = 0;
    for (const [from, to] of holds) {
      if (t >= to) lost += to - from;
      else if (t > from) lost += t - from;
    }
    return t - lost;
  };
  const lost = () => {
    const t = now();
    return t - lived(t);
  };
  const lose = (ms) => {
    const to = now();
    holds.push([to - ms, to]);
  };
  Object.defineProperty(globalThis, key, { value: lose });

  const replace = (owner, name, make) => {
    const original = owner[name];
    if (typeof original !== 'function') return;
    const copy = make(original);
    for (const p of ['name', 'length']) {
      Object.defineProperty(copy, p, { value: original[p], configurable: true });
    }
    owner[name] = copy;
  };
  replace(Performance.prototype, 'now', (original) => function () {
    return lived(original.call(this));
  });
  replace(globalThis, 'requestAnimationFrame', (original) => (callback) =>
    original.call(globalThis, typeof callback === 'function' ? (t) => callback(lived(t)) : callback));

  const Real = Date;
  replace(Real, 'now', (original) => () => Math.round(original() - lost()));
  const Shifted = new Proxy(Real, {
    construct: (target, args, made) =>
      Reflect.construct(target, args.length ? args : [Real.now()], made === Shifted ? target : made),
    apply: () => new Real(Real.now()).toString(),
  });
  Real.prototype.constructor = Shifted;
  globalThis.Date = Shifted;
  return true;
})()
//# sourceURL=playtest:clock
