const seed = Number(new URLSearchParams(location.search).get('seed') || 27);
let a;
export function reseed() { a = Math.imul(seed, 0x9e3779b1) | 1; }
export function random() {
  a ^= a << 13; a ^= a >>> 17; a ^= a << 5;
  return (a >>> 0) / 4294967296;
}
reseed();
