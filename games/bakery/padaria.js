'use strict';
const id = (name) => document.getElementById(name);
const GOODS = [
  { key: 'yeast', name: 'Fermento', about: 'amassar custa menos', price: 8, most: 3 },
  { key: 'oven', name: 'Forno', about: 'coze pão sozinho', price: 12, most: 5 },
  { key: 'helper', name: 'Ajudante', about: 'serve os clientes', price: 25, most: 3 },
  { key: 'jam', name: 'Compota', about: 'cada pão rende mais', price: 18, most: 4 },
];
const shop = { coins: 0, served: 0, kneads: 0, loaves: 0, wants: 1, yeast: 0, oven: 0, helper: 0, jam: 0, baked: 0, helped: 0 };

let a = Number(new URLSearchParams(location.search).get('seed') || 9) + 0x1234;
function roll(n) {
  a = (a ^ (a << 13)) >>> 0; a = (a ^ (a >>> 17)) >>> 0; a = (a ^ (a << 5)) >>> 0;
  return a % n;
}

function loaf() {
  if (shop.loaves >= 11) return;
  shop.loaves++;
  const e = document.createElement('div');
  e.className = 'loaf'; e.draggable = true; e.title = 'pão';
  e.ondragstart = (ev) => { ev.dataTransfer.setData('text/plain', 'pão'); ev.dataTransfer.effectAllowed = 'move'; carried = e; };
  e.ondragend = () => { carried = null; id('queue').classList.remove('over'); };
  id('shelf').append(e);
}
let carried = null;

function customer() {
  shop.wants = 1 + roll(3);
  id('face').style.background = `hsl(${18 + roll(16)} ${40 + roll(25)}% ${55 + roll(25)}%)`;
  id('face').style.boxShadow = `inset 0 34px 0 hsl(${roll(360)} 45% 40%), 0 60px 0 -30px hsl(${roll(360)} 50% 55%)`;
  show();
}
function serve(bread) {
  if (!bread) return;
  bread.remove();
  shop.loaves--; shop.coins += 3 + shop.jam * 2; shop.wants--;
  id('face').animate([{ transform: 'none' }, { transform: 'translateY(-22px)' }, { transform: 'none' }], 260);
  if (shop.wants === 0) { shop.served++; customer(); }
  show();
}

id('dough').addEventListener('click', () => {
  if (++shop.kneads >= 5 - shop.yeast) { shop.kneads = 0; loaf(); }
  show();
});
id('queue').addEventListener('dragover', (e) => { if (carried) { e.preventDefault(); id('queue').classList.add('over'); } });
id('queue').addEventListener('dragleave', () => id('queue').classList.remove('over'));
id('queue').addEventListener('drop', (e) => { e.preventDefault(); serve(carried); });

const offers = GOODS.map((good) => {
  const b = document.createElement('button');
  b.onclick = () => {
    if (shop.coins < good.price || shop[good.key] >= good.most) return;
    shop.coins -= good.price; shop[good.key]++; good.price = Math.round(good.price * 1.6);
    show();
  };
  id('shop').append(b);
  return { good, b };
});
function show() {
  id('coins').textContent = shop.coins;
  id('served').textContent = shop.served;
  id('knead').max = 5 - shop.yeast; id('knead').value = shop.kneads;
  id('wish').textContent = `Queria ${shop.wants} ${shop.wants === 1 ? 'pão' : 'pães'}, por favor.`;
  for (const { good, b } of offers) {
    const full = shop[good.key] >= good.most;
    b.innerHTML = `${good.name} ×${shop[good.key]} · ${full ? '–' : good.price}<small>${good.about}</small>`;
    b.disabled = full || shop.coins < good.price;
  }
}
// The ovens and the helpers work once a second, when there are any.
setInterval(() => {
  if (id('hello').open) return;
  shop.baked += shop.oven; shop.helped += shop.helper;
  if (shop.baked >= 6) { shop.baked -= 6; loaf(); }
  if (shop.helped >= 4) { shop.helped -= 4; serve(id('shelf').firstElementChild); }
}, 1000);

id('hello').addEventListener('cancel', (e) => e.preventDefault());
id('open').addEventListener('click', () => { id('hello').close(); loaf(); loaf(); customer(); });
customer();
id('hello').showModal();
