// A maze of N by N rooms as a grid of walls and floor, dug depth first, with some walls broken for loops.
export function dig(n, random) {
  const size = 2 * n + 1, wall = Array.from({ length: size }, () => Array(size).fill(true));
  const stack = [[1, 1]];
  wall[1][1] = false;
  while (stack.length) {
    const [x, y] = stack[stack.length - 1];
    const ways = [[2, 0], [-2, 0], [0, 2], [0, -2]].filter(([dx, dy]) => wall[y + dy]?.[x + dx]);
    if (!ways.length) { stack.pop(); continue; }
    const [dx, dy] = ways[Math.floor(random() * ways.length)];
    wall[y + dy / 2][x + dx / 2] = false; wall[y + dy][x + dx] = false;
    stack.push([x + dx, y + dy]);
  }
  for (let i = 0; i < n; i++) {
    const x = 1 + Math.floor(random() * (size - 2)), y = 1 + Math.floor(random() * (size - 2));
    if (x % 2 !== y % 2) wall[y][x] = false;
  }
  return wall;
}
