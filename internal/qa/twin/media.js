// Sounds and films last as long as they do in the time of the game: in real time they would
// end after another number of frames in each twin. What the browser would refuse to play, and
// what it does not know yet, is left to it.
const running = new Set();
let mediaDue = () => 0, mediaPass = () => {};
if (globalThis.HTMLMediaElement) {
  const proto = HTMLMediaElement.prototype, steered = new WeakMap(), awaited = new WeakSet();
  const { play, pause } = proto, { addEventListener, dispatchEvent } = EventTarget.prototype;
  const real = (name) => Object.getOwnPropertyDescriptor(proto, name);
  const time = real('currentTime'), known = 1; // readyState from which the duration is known
  const tell = (el, type) => invoke(dispatchEvent, el, [new Event(type)]);
  const soon = (el, type) => later(() => tell(el, type), 0, [], false);
  const position = (el, m) => (m.on ? min(m.from + ((now - m.since) / 1000) * el.playbackRate, el.duration) : m.from);
  const stop = (el, m) => {
    m.from = position(el, m);
    m.on = false;
    running.delete(el);
  };
  const steer = (el) => {
    const m = { from: invoke(time.get, el, []), since: now, on: false, over: false, told: now };
    steered.set(el, m);
    // It may be given something else to play.
    invoke(addEventListener, el, ['emptied', () => { steered.delete(el); running.delete(el); }, { __proto__: null, once: true }]);
    return m;
  };
  proto.play = function () {
    if (!navigator.userActivation?.hasBeenActive || this.error || !(this.readyState >= known) || !(this.duration < Infinity)) return invoke(play, this, []);
    const m = steered.get(this) ?? steer(this);
    if (m.over) m.from = 0;
    if (!m.on) {
      m.on = true;
      m.over = false;
      m.since = m.told = now;
      running.add(this);
      soon(this, 'play');
      soon(this, 'playing');
    }
    return Promise.resolve();
  };
  proto.pause = function () {
    const m = steered.get(this);
    if (!m) return invoke(pause, this, []);
    if (m.on) {
      stop(this, m);
      soon(this, 'pause');
    }
  };
  proto.addEventListener = function (type, ...args) {
    if (type === 'ended') awaited.add(this);
    return invoke(addEventListener, this, [type, ...args]);
  };
  Object.defineProperty(proto, 'currentTime', {
    ...time,
    get() {
      const m = steered.get(this);
      return m ? position(this, m) : invoke(time.get, this, []);
    },
    set(value) {
      invoke(time.set, this, [value]);
      const m = steered.get(this);
      if (!m) return;
      m.from = max(0, min(Number(value), this.duration));
      m.since = now;
      m.over = false;
    },
  });
  for (const [name, read] of Object.entries({ paused: (m) => !m.on, ended: (m) => m.over })) {
    const d = real(name);
    Object.defineProperty(proto, name, { ...d, get() { const m = steered.get(this); return m ? read(m) : invoke(d.get, this, []); } });
  }
  // rest is after how many milliseconds something ends, of which its game waits to hear.
  const rest = (el) => (el.loop || !(awaited.has(el) || el.onended) ? 0 : ((el.duration - position(el, steered.get(el))) / el.playbackRate) * 1000);
  mediaDue = () => max(0, ...[...running].map(rest));
  mediaPass = () => {
    const often = 250; // milliseconds between two tellings of the time
    for (const el of [...running]) {
      const m = steered.get(el), over = position(el, m) >= el.duration;
      if (over && el.loop) {
        m.from = 0;
        m.since = now;
      } else if (over) {
        stop(el, m);
        m.over = true;
        for (const type of ['timeupdate', 'pause', 'ended']) tell(el, type);
      } else if (now - m.told >= often) {
        m.told = now;
        tell(el, 'timeupdate');
      }
    }
  };
}
