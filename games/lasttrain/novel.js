'use strict';
// A visual novel: lines appear letter by letter, a click shows the rest of the line or the next one, buttons choose.
(async () => {
  const el = Object.fromEntries(['box', 'name', 'line', 'more', 'choices', 'mood', 'cover', 'sub', 'who'].map((id) => [id, document.getElementById(id)]));
  const story = await fetch('story.json').then((r) => r.json());
  let seed = Number(new URLSearchParams(location.search).get('seed') || 5);
  let guest, scene, index, trust, typing = 0, shown = 0, full = '';

  function cast() {
    // A few steps of the generator, or small seeds would all meet the same passenger.
    for (let i = 0; i < 3; i++) seed = (seed * 48271 + 12345) % 2147483647;
    guest = story.guests[seed % story.guests.length];
    el.who.innerHTML = `
      <path d="M30 300 Q30 170 110 165 Q190 170 190 300 Z" fill="${guest.coat}"/>
      <rect x="94" y="130" width="32" height="46" fill="#e9bf9d"/><ellipse cx="110" cy="95" rx="46" ry="54" fill="#f2cfb0"/>
      <path d="M60 100 Q56 30 110 32 Q164 30 160 100 Q150 64 110 62 Q70 64 60 100 Z" fill="${guest.hair}"/>
      <circle cx="93" cy="98" r="5" fill="#2a2230"/><circle cx="127" cy="98" r="5" fill="#2a2230"/>
      <path id="mouth" d="M96 124 Q110 132 124 124" fill="none" stroke="#a0503f" stroke-width="4" stroke-linecap="round"/>`;
  }
  const fill = (text) => text.replace('{name}', guest.name).replace('{thing}', guest.thing);

  function mood() {
    el.mood.textContent = 'Доверие: ' + '♥'.repeat(Math.max(0, trust)) + '♡'.repeat(Math.max(0, 5 - Math.max(0, trust)));
    el.who.querySelector('#mouth').setAttribute('d', trust > 1 ? 'M92 120 Q110 142 128 120' : trust < 0 ? 'M96 130 Q110 122 124 130' : 'M96 124 Q110 132 124 124');
  }
  function enter(name) {
    scene = story.scenes[name]; index = -1;
    el.choices.replaceChildren();
    if (scene.enter) el.who.classList.remove('away');
    next();
  }
  function next() {
    index++;
    const [speaker, text] = scene.lines[index];
    el.name.textContent = fill(speaker);
    full = fill(text); shown = 0;
    el.line.textContent = ''; el.more.hidden = true;
    clearInterval(typing);
    typing = setInterval(() => { shown++; el.line.textContent = full.slice(0, shown); if (shown >= full.length) rest(); }, 28);
  }
  function rest() {
    clearInterval(typing);
    typing = 0; shown = full.length; el.line.textContent = full;
    const last = index === scene.lines.length - 1;
    el.more.hidden = last && scene.choices.length > 0;
    if (!last) return;
    for (const [label, target, worth] of scene.choices) {
      const b = document.createElement('button');
      b.textContent = label;
      b.addEventListener('click', () => { trust += worth; mood(); enter(target); });
      el.choices.append(b);
    }
  }
  function advance() {
    if (typing) rest();
    else if (index < scene.lines.length - 1) next();
    else if (!scene.choices.length) { el.cover.hidden = false; el.sub.textContent = 'Спасибо за поездку. Есть и другая дорога.'; }
  }
  document.querySelector('.go').hidden = false;
  el.cover.addEventListener('click', () => {
    el.cover.hidden = true; el.who.classList.add('away'); trust = 0;
    cast(); mood(); enter('start');
  });
  el.box.addEventListener('click', advance);
  document.addEventListener('keyup', (e) => { if (el.cover.hidden && (e.code === 'Enter' || e.code === 'Space') && e.target.tagName !== 'BUTTON') advance(); });
})();
