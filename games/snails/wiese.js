'use strict';
// The path through the garden, and how far along it a point lies.
const PATH = [[-40, 130], [300, 130], [300, 400], [130, 400], [130, 590], [560, 590], [560, 190], [840, 190], [840, 520], [1000, 520]];
const LEGS = PATH.slice(1).map(([x, y], i) => ({ x: PATH[i][0], y: PATH[i][1], dx: Math.sign(x - PATH[i][0]), dy: Math.sign(y - PATH[i][1]), long: Math.abs(x - PATH[i][0]) + Math.abs(y - PATH[i][1]) }));
const WHOLE = LEGS.reduce((sum, leg) => sum + leg.long, 0);

function along(way) {
  for (const leg of LEGS) {
    if (way <= leg.long) return { x: leg.x + leg.dx * way, y: leg.y + leg.dy * way, dx: leg.dx };
    way -= leg.long;
  }
  return { x: 1000, y: 520, dx: 1 };
}
const onPath = (x, y) => LEGS.some((l) => x > Math.min(l.x, l.x + l.dx * l.long) - 46 && x < Math.max(l.x, l.x + l.dx * l.long) + 46 && y > Math.min(l.y, l.y + l.dy * l.long) - 46 && y < Math.max(l.y, l.y + l.dy * l.long) + 46);
