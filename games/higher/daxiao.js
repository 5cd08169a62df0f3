// Higher or lower: will the next card be worth more (大) or less (小)? Aces are low. Equal cards take nothing.
const SUITS = ['♠', '♥', '♣', '♦'], RANKS = ['A', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'J', 'Q', 'K'];

class Table {
  constructor(seed) {
    this.seed = seed;
    this.at = (id) => document.getElementById(id);
    this.at('go').addEventListener('click', () => this.deal());
    this.at('more').addEventListener('click', () => this.bet(1));
    this.at('less').addEventListener('click', () => this.bet(-1));
    document.body.addEventListener('keydown', (e) => {
      if (e.code === 'ArrowUp') this.bet(1);
      if (e.code === 'ArrowDown') this.bet(-1);
    });
  }
  random() {
    this.state = (Math.imul(this.state, 22695477) + 1) >>> 0;
    return (this.state >>> 12) / 1048576;
  }
  deal() {
    this.state = Math.imul(this.seed + 1, 0x27d4eb2f) >>> 0;
    this.deck = Array.from({ length: 52 }, (_, i) => ({ rank: i % 13, suit: Math.floor(i / 13) }));
    for (let i = 51; i > 0; i--) { const j = Math.floor(this.random() * (i + 1)); [this.deck[i], this.deck[j]] = [this.deck[j], this.deck[i]]; }
    this.deck.length = 27;
    this.coins = 10; this.streak = 0; this.busy = false;
    this.at('veil').hidden = true;
    this.open = this.deck.pop();
    this.lay();
  }
  card(card, hidden) {
    const red = card.suit % 2 ? ' red' : '';
    return `<div class="card${hidden ? ' back' : ''}"><div class="face${red}"><small>${RANKS[card.rank]}<br>${SUITS[card.suit]}</small><span>${RANKS[card.rank]}</span><u>${SUITS[card.suit]}</u></div><div class="rear"></div></div>`;
  }
  lay() {
    this.next = this.deck[this.deck.length - 1];
    this.at('table').className = '';
    this.at('table').innerHTML = this.card(this.open, false) + this.card(this.next, true);
    this.count();
  }
  count() {
    this.at('coins').innerHTML = '<i></i>'.repeat(Math.max(0, this.coins));
    this.at('deck').textContent = '▮'.repeat(Math.ceil(this.deck.length / 3)) + ' ' + this.deck.length;
  }
  bet(way) {
    if (this.busy || !this.at('veil').hidden) return;
    this.busy = true;
    this.at('table').lastChild.classList.remove('back');
    const step = Math.sign(this.next.rank - this.open.rank);
    if (step === way) { this.streak++; this.coins += this.streak > 2 ? 2 : 1; } else if (step) { this.streak = 0; this.coins -= 2; }
    setTimeout(() => { this.at('table').classList.add(step === way ? 'good' : 'bad'); this.count(); }, 450);
    setTimeout(() => this.turn(), 1200);
  }
  turn() {
    this.busy = false;
    this.open = this.deck.pop();
    if (this.coins > 0 && this.deck.length > 0) return this.lay();
    this.at('sum').textContent = '● × ' + Math.max(0, this.coins);
    this.at('go').textContent = '↻';
    this.at('veil').hidden = false;
  }
}
new Table(Number(new URLSearchParams(location.search).get('seed') || 6));
