'use strict';
const STYLE = `
  :host { display:block; height:100vh; font-family:"DejaVu Sans","Helvetica Neue",sans-serif; color:#fdf3dc; background:linear-gradient(#16244a,#3d4f86 60%,#c77f5a 100%); overflow:hidden }
  :host::after { content:""; position:fixed; inset:auto 0 0 0; height:170px; background:#101a36; clip-path:polygon(0 60%,6% 60%,6% 38%,12% 20%,18% 38%,18% 70%,24% 70%,24% 46%,34% 46%,34% 66%,40% 66%,40% 30%,43% 14%,46% 30%,46% 66%,55% 66%,55% 50%,61% 30%,67% 50%,67% 72%,74% 72%,74% 44%,84% 44%,84% 62%,90% 62%,90% 36%,95% 22%,100% 36%,100% 100%,0 100%); pointer-events:none }
  .top { display:flex; justify-content:space-between; align-items:center; max-width:900px; margin:0 auto; padding:22px 20px 8px }
  h1 { margin:0; font-size:36px } .stats span { margin-left:26px; font-size:17px } .stats b { font-size:22px; color:#ffd37a }
  .grid { display:grid; gap:16px; margin:14px auto; width:max-content }
  .lamp { width:92px; height:98px; border:0; padding:0; background:none; cursor:pointer }
  .lamp i { display:block; width:78px; height:86px; margin:0 auto; border-radius:44% 44% 48% 48%; background:#2a375f; box-shadow:inset 0 0 0 3px #46558a, inset 0 -20px 0 #0003; transition:background .2s, box-shadow .2s, transform .12s }
  .lamp.on i { background:radial-gradient(circle at 50% 55%,#fff6cf,#ffb84a 60%,#e5752f); box-shadow:0 0 34px #ffb84a99, inset 0 -14px 0 #b5481c55 } .lamp:active i { transform:scale(.92) }
  .center { display:grid; place-content:center; justify-items:center; text-align:center; height:72vh; gap:14px } .center p { max-width:44ch; line-height:1.6; color:#dfe3f5; margin:0 }
  button.big { font:bold 20px "DejaVu Sans",sans-serif; color:#3b1e08; background:#ffd37a; border:0; border-radius:12px; padding:14px 44px; cursor:pointer } button.big:hover { background:#ffe3a8 }
  .bar { text-align:center } .bar button { font:16px "DejaVu Sans",sans-serif; color:#fdf3dc; background:#0003; border:1px solid #fff4; border-radius:10px; padding:9px 22px; cursor:pointer }
`;
class VillageLanterns extends HTMLElement {
  #root = this.attachShadow({ mode: 'closed' });
  #seed = Number(new URLSearchParams(location.search).get('seed') || 12);
  #state = 0; #level = 1; #score = 0; #size = 3; #on = []; #first = []; #left = 0;
  connectedCallback() {
    this.#root.innerHTML = `<style>${STYLE}</style><div class="top"><h1>Φανάρια</h1><div class="stats"></div></div><div class="stage"></div>`;
    this.#message('Καλησπέρα', 'Κάθε φανάρι που αγγίζεις αλλάζει κι αυτό και τα διπλανά του. Σβήσε τα όλα πριν τελειώσουν οι κινήσεις.', 'Έναρξη', () => { this.#state = this.#seed; this.#level = 1; this.#score = 0; this.#deal(); });
  }
  #random() { this.#state = (this.#state + 0x6d2b79f5) | 0; let t = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1); t ^= t + Math.imul(t ^ (t >>> 7), t | 61); return ((t ^ (t >>> 14)) >>> 0) / 4294967296; }
  #message(title, text, label, then) {
    const stage = this.#root.querySelector('.stage');
    stage.innerHTML = `<div class="center"><h1>${title}</h1><p>${text}</p><button class="big">${label}</button></div>`;
    stage.querySelector('button').addEventListener('click', then);
  }
  #deal() {
    this.#size = Math.min(5, 2 + Math.ceil(this.#level / 2)); const n = this.#size * this.#size;
    do { this.#on = Array(n).fill(false); for (let i = 0; i < 2 + this.#level; i++) this.#flip(Math.floor(this.#random() * n)); } while (!this.#on.includes(true));
    this.#first = [...this.#on]; this.#begin();
  }
  #begin() {
    this.#on = [...this.#first]; this.#left = 8 + this.#level * 4;
    const stage = this.#root.querySelector('.stage');
    stage.innerHTML = `<div class="grid" style="grid-template-columns:repeat(${this.#size},92px)"></div><div class="bar"><button>Ξανά</button></div>`;
    stage.querySelector('.bar button').addEventListener('click', () => this.#begin());
    this.#on.forEach((_, i) => { const b = document.createElement('button'); b.className = 'lamp'; b.innerHTML = '<i></i>'; b.setAttribute('aria-label', `φανάρι ${i + 1}`); b.addEventListener('click', () => this.#touch(i)); stage.firstChild.append(b); });
    this.#show();
  }
  #flip(i) { const n = this.#size, x = i % n, y = (i - x) / n; for (const [a, b] of [[x, y], [x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]]) if (a >= 0 && b >= 0 && a < n && b < n) this.#on[b * n + a] = !this.#on[b * n + a]; }
  #touch(i) {
    this.#flip(i); this.#left--; this.#show();
    if (!this.#on.includes(true)) { this.#score += 100 * this.#level + 10 * this.#left; this.#level++; this.#show(); setTimeout(() => this.#level > 6 ? this.#message('Όλα σβηστά!', `Το χωριό κοιμάται. Βαθμοί: ${this.#score}`, 'Παίξε ξανά', () => this.connectedCallback()) : this.#deal(), 500); }
    else if (this.#left <= 0) this.#message('Ξημέρωσε', `Τέλος παιχνιδιού. Βαθμοί: ${this.#score}`, 'Παίξε ξανά', () => this.connectedCallback());
  }
  #show() {
    this.#root.querySelector('.stats').innerHTML = `<span>Επίπεδο <b>${this.#level}</b></span><span>Κινήσεις <b>${this.#left}</b></span><span>Βαθμοί <b>${this.#score}</b></span>`;
    this.#root.querySelectorAll('.lamp').forEach((l, i) => l.classList.toggle('on', this.#on[i]));
  }
}
customElements.define('village-lanterns', VillageLanterns);
