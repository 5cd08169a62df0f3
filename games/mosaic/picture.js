'use strict';
// Paints the picture that is cut into tiles: a landscape that the numbers of next() decide.
function paintPicture(size, next) {
  const sheet = document.createElement('canvas');
  sheet.width = sheet.height = size;
  const g = sheet.getContext('2d'), hue = next() * 360;
  const sky = g.createLinearGradient(0, 0, 0, size);
  sky.addColorStop(0, `hsl(${hue} 55% 38%)`);
  sky.addColorStop(1, `hsl(${hue + 50} 80% 78%)`);
  g.fillStyle = sky;
  g.fillRect(0, 0, size, size);
  g.fillStyle = '#fff4cf';
  g.beginPath(); g.arc(size * (0.25 + next() * 0.5), size * 0.28, size * 0.12, 0, 7); g.fill();
  for (let layer = 0; layer < 4; layer++) {
    const base = size * (0.48 + layer * 0.13), wave = 1 + next() * 3, shift = next() * 6;
    g.fillStyle = `hsl(${hue + 170 + layer * 14} 38% ${56 - layer * 11}%)`;
    g.beginPath(); g.moveTo(0, size);
    for (let x = 0; x <= size; x += 6) g.lineTo(x, base + Math.sin(x / size * wave * 4 + shift) * size * 0.055 + Math.sin(x / 31 + shift * 3) * 5);
    g.lineTo(size, size); g.fill();
  }
  for (let i = 0; i < 6; i++) {
    const x = size * (0.08 + next() * 0.84), y = size * (0.72 + next() * 0.2), h = size * 0.13;
    g.fillStyle = '#3a2b22'; g.fillRect(x - 4, y, 8, h * 0.5);
    g.fillStyle = `hsl(${hue + 120} 45% ${26 + next() * 16}%)`;
    g.beginPath(); g.moveTo(x, y - h); g.lineTo(x - h * 0.42, y + 6); g.lineTo(x + h * 0.42, y + 6); g.fill();
  }
  return sheet;
}
