const params = new URLSearchParams(location.search);
function* dice(seed) { let x = seed >>> 0; for (;;) { x = (Math.imul(x, 22695477) + 1) >>> 0; yield ((x >>> 7) & 0xffffff) / 0x1000000; } }

const CSS = `
  :host { font-family:Georgia,"DejaVu Serif",serif }
  .wrap { max-width:880px; margin:0 auto; padding:46px 24px 80px }
  h1 { font-size:50px; margin:0; color:#1c6a78 } h2 { color:#1c6a78; margin:34px 0 6px } p { line-height:1.7; font-size:18px; max-width:62ch }
  .sea { height:190px; border-radius:20px; margin:22px 0; background:linear-gradient(#9fd8dc,#3fa1b0 55%,#1c6a78); position:relative; overflow:hidden } .sea svg { position:absolute; bottom:6px; width:76px; height:76px }
  button { font:inherit; cursor:pointer } .go { margin-top:26px; font-size:22px; padding:15px 42px; border:0; border-radius:14px; background:#1c6a78; color:#fdf6e3 } .go:hover { background:#258394 } .go:disabled { opacity:.5 }
  .bar { display:flex; justify-content:space-between; align-items:baseline; font-size:20px } .bar b { font-size:28px; color:#c95f2a }
  .table { display:grid; grid-template-columns:repeat(var(--n),1fr); gap:14px; margin-top:16px; padding:20px; border-radius:22px; background:#e3cd9d }
  .card { position:relative; height:124px; border:0; padding:0; background:none; perspective:600px } .card span { position:absolute; inset:0; border-radius:14px; transition:transform .3s; backface-visibility:hidden; display:grid; place-items:center }
  .back { background:repeating-radial-gradient(circle at 50% 120%,#3fa1b0 0 9px,#348d9b 9px 18px); box-shadow:0 4px 0 #1c6a78 } .face { background:#fffaf0; transform:rotateY(180deg); box-shadow:0 4px 0 #c7b083 } .face svg { width:84px; height:84px }
  .card.up .back { transform:rotateY(180deg) } .card.up .face { transform:none } .card.got .face { background:#dff3d8 }
  .tide { height:14px; border-radius:8px; background:#0001; overflow:hidden; margin-top:12px } .tide i { display:block; height:100%; background:linear-gradient(90deg,#9fd8dc,#1c6a78) }
  .end { text-align:center; padding:60px 0 }
`;
class TidePool extends HTMLElement {
  constructor() { super(); this.attachShadow({ mode: 'open' }); this.level = 1; this.score = 0; }
  async connectedCallback() {
    this.shadowRoot.innerHTML = `<style>${CSS}</style><div class="wrap"><p>Loading the beach…</p></div>`;
    const reply = await fetch('faces.svg');
    if (!reply.ok) throw new Error(`faces.svg: ${reply.status}`);
    this.art = [...(await reply.text()).matchAll(/<symbol id="f\d" viewBox="([^"]+)">(.*?)<\/symbol>/gs)].map((m) => `<svg viewBox="${m[1]}">${m[2]}</svg>`);
    this.rules();
  }
  page(html) { this.shadowRoot.querySelector('.wrap').innerHTML = html; }
  rules() {
    const shown = [0, 3, 2, 4, 1].map((n, i) => this.art[n].replace('<svg ', `<svg style="left:${40 + i * 160}px" `)).join('');
    this.page(`<h1>Tide Pool Pairs</h1><div class="sea">${shown}</div>
      <p>Low tide leaves little worlds between the rocks. For a while nothing moves in them, and you can look as long as you like. Then the sea wants them back.</p>
      <h2>How it is played</h2><p>The cards lie face down on the sand. Turn two of them over. If they show the same animal they stay open and you score; if not, they turn back, and it is up to you to remember where they were.</p>
      <h2>The tide</h2><p>The blue bar is the tide. It climbs while you think. When it is full, the pool belongs to the sea again and the game is over. Each pair you find pushes it back a little.</p>
      <h2>Levels</h2><p>Four pairs first, then six, then eight. A pair found on the first try counts double.</p>
      <button class="go">Deal the cards</button>`);
    this.shadowRoot.querySelector('.go').addEventListener('click', () => { this.luck = dice(Number(params.get('seed') || 14) * 7919 + 5); this.luck.next(); this.level = 1; this.score = 0; this.deal(); });
  }
  deal() {
    const pairs = 2 + this.level * 2, deck = [];
    for (let i = 0; i < pairs; i++) deck.push(i, i);
    for (let i = deck.length - 1; i > 0; i--) { const j = Math.floor(this.luck.next().value * (i + 1)); [deck[i], deck[j]] = [deck[j], deck[i]]; }
    this.open = []; this.seen = new Set(); this.left = pairs; this.tide = 0;
    this.page(`<div class="bar"><span>Pool ${this.level}</span><span>Score <b id="score">${this.score}</b></span></div><div class="tide"><i></i></div><div class="table" style="--n:${this.level === 1 ? 4 : this.level === 2 ? 6 : 8}">${deck.map((f) => `<button class="card" data-f="${f}"><span class="back"></span><span class="face">${this.art[f]}</span></button>`).join('')}</div>`);
    this.shadowRoot.querySelectorAll('.card').forEach((c) => c.addEventListener('click', () => this.turn(c)));
    scrollTo(0, 0);
    clearInterval(this.timer); this.timer = setInterval(() => this.rise(), 500);
  }
  rise() {
    this.tide += 0.5 / 90; this.shadowRoot.querySelector('.tide i').style.width = `${Math.min(100, this.tide * 100)}%`;
    if (this.tide >= 1) this.end('The tide is in', 'Game over.');
  }
  turn(card) {
    if (this.open.length === 2 || card.classList.contains('up')) return;
    card.classList.add('up'); this.open.push(card);
    if (this.open.length < 2) return;
    const [a, b] = this.open, same = a.dataset.f === b.dataset.f;
    if (same) {
      this.score += this.seen.has(a.dataset.f) ? 50 : 100; this.tide = Math.max(0, this.tide - 0.05); a.classList.add('got'); b.classList.add('got'); this.open = []; this.shadowRoot.getElementById('score').textContent = this.score;
      if (--this.left === 0) setTimeout(() => { if (this.level === 3) this.end('The pool is yours', 'Every pair found.'); else { this.level++; this.deal(); } }, 900);
    } else { this.seen.add(a.dataset.f).add(b.dataset.f); setTimeout(() => { a.classList.remove('up'); b.classList.remove('up'); this.open = []; }, 900); }
  }
  end(title, text) { clearInterval(this.timer); this.page(`<div class="end"><h1>${title}</h1><p style="margin:20px auto">${text} ${this.score} points.</p><button class="go">Play again</button></div>`); this.shadowRoot.querySelector('.go').addEventListener('click', () => { this.level = 1; this.score = 0; this.deal(); }); }
}
customElements.define('tide-pool', TidePool);
