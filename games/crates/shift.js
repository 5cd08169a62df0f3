var seed = parseInt((/seed=(\d+)/.exec(location.search) || [])[1] || '6', 10);
function dice(n) { seed = (seed * 9301 + 49297) % 233280; return Math.floor(seed / 233280 * n); }
for (var warm = 0; warm < 3; warm++) dice(1);
function el(id) { return document.getElementById(id); }

var data = null, index = 0, score = 0, cells, plates, cat, steps, pushes, past, mirrored = false;
var xhr = new XMLHttpRequest();
xhr.open('GET', 'rooms.json');
xhr.onload = function () {
  if (xhr.status !== 200) { el('room').textContent = 'The warehouse is locked.'; throw new Error('rooms.json: HTTP ' + xhr.status); }
  data = JSON.parse(xhr.responseText);
  mirrored = dice(2) === 1;
  enter(); draw();
};
xhr.send();

el('go').onclick = function (e) {
  e.preventDefault();
  if (!data) return;
  el('intro').className = 'hide'; el('card').className = '';
  document.onkeydown = pressed;
  alert(data.rooms[index].name + '. ' + data.greetings[dice(data.greetings.length)]);
};
function enter() {
  cells = data.rooms[index].map.map(function (r) { var row = r.split(''); return mirrored ? row.reverse() : row; });
  plates = []; steps = 0; pushes = 0; past = [];
  cells.forEach(function (row, y) {
    row.forEach(function (c, x) {
      if (c === '.') { plates.push([x, y]); row[x] = ' '; }
      if (c === '@') { cat = [x, y]; row[x] = ' '; }
    });
  });
}
function pressed(e) {
  switch (e.key) {
    case 'ArrowUp': e.preventDefault(); walk(0, -1); break;
    case 'ArrowDown': e.preventDefault(); walk(0, 1); break;
    case 'ArrowLeft': e.preventDefault(); walk(-1, 0); break;
    case 'ArrowRight': e.preventDefault(); walk(1, 0); break;
    case 'u': case 'U': back(); break;
    case 'r': case 'R': enter(); draw(); break;
  }
}
function walk(dx, dy) {
  var x = cat[0] + dx, y = cat[1] + dy, c = cells[y][x];
  if (c === '#') return;
  var before = { cat: cat, cells: cells.map(function (r) { return r.slice(); }), pushes: pushes };
  if (c === 'o') {
    if (cells[y + dy][x + dx] !== ' ') return;
    cells[y + dy][x + dx] = 'o'; cells[y][x] = ' '; pushes++;
  }
  past.push(before); cat = [x, y]; steps++;
  draw();
  if (done() === plates.length) setTimeout(solved, 60);
}
function back() {
  var b = past.pop();
  if (!b) return;
  cat = b.cat; cells = b.cells; pushes = b.pushes; steps--;
  draw();
}
function done() { return plates.filter(function (p) { return cells[p[1]][p[0]] === 'o'; }).length; }
function solved() {
  score += Math.max(50, 400 - steps * 4);
  var last = index === data.rooms.length - 1;
  alert(last ? 'Shift over! The whole warehouse in order, ' + score + ' points.' : 'Tidy! On to the next room, ' + score + ' points so far.');
  if (last) { index = 0; score = 0; } else index++;
  enter(); draw();
}
function draw() {
  var room = el('room');
  room.className = ''; room.innerHTML = '';
  cells.forEach(function (row, y) {
    var line = document.createElement('div'); line.className = 'row';
    row.forEach(function (c, x) {
      var t = document.createElement('div'), plate = plates.some(function (p) { return p[0] === x && p[1] === y; });
      t.className = 't ' + (c === '#' ? 'wall' : 'floor') + (plate ? ' plate' : '') + (c === 'o' ? ' cheese' : '') + (cat[0] === x && cat[1] === y ? ' cat' : '');
      line.appendChild(t);
    });
    room.appendChild(line);
  });
  el('where').textContent = 'Room ' + (index + 1) + ': ' + data.rooms[index].name;
  el('steps').textContent = steps; el('pushes').textContent = pushes; el('score').textContent = score; el('plates').textContent = done() + ' of ' + plates.length;
}
