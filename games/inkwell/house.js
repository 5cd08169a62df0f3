(function () {
  'use strict';
  var $ = function (id) { return document.getElementById(id); };
  var seed = Number(new URLSearchParams(location.search).get('seed') || 18) % 2147483647;
  for (var warm = 0; warm < 4; warm++) roll(1);
  function roll(n) { seed = (seed * 48271 + 7) % 2147483647; return Math.floor(seed / 2147483647 * n); }
  var room, bag, lies, lamp, score, hour, open, wound, chapter, seen, finished, turns;

  function cover() {
    $('story').innerHTML = '<div class="cover"><p>a small story in five rooms</p><h1>The Clockmaker’s House</h1><p>The clockmaker is gone and the great clock has stopped.<br>Before your lamp goes out, make it strike again.</p><p><button id="begin">Begin</button></p></div>';
    $('begin').onclick = help;
  }
  function help() {
    $('story').innerHTML = '<div class="help"><h2>Before you go in</h2><p>You speak to this house in short sentences:</p><ul><li><code>look</code> describes the room again</li><li><code>go north</code>, or just <code>north</code>, <code>up</code>, <code>down</code>…</li><li><code>take key</code>, <code>use oil</code>, <code>eat apple</code>, <code>inventory</code></li><li><code>read wall</code>, <code>open clock</code>, <code>set 7</code> turns the hands</li></ul><p>Every command costs a little light.</p><p><button id="ok">I have read this</button></p></div>';
    $('ok').onclick = begin;
  }
  function begin() {
    $('story').innerHTML = ''; $('line').hidden = false;
    var hide = ['kitchen', 'attic', 'cellar'];
    lies = { key: hide.splice(roll(hide.length), 1)[0], oil: hide.splice(roll(hide.length), 1)[0], apple: hide[0] };
    hour = 1 + roll(12); room = 'hall'; bag = []; lamp = 30; score = 0; open = false; wound = false; chapter = 1; seen = {}; finished = false; turns = 0;
    say('The door falls shut behind you. The lamp in your hand gives a small yellow circle.', 'good');
    arrive(); $('say').focus();
  }
  function say(text, cls) { var p = document.createElement('p'); p.textContent = text; if (cls) p.className = cls; $('story').appendChild(p); $('story').scrollTop = $('story').scrollHeight; }
  function arrive() {
    if (!seen[room]) { seen[room] = true; score += 10; }
    say(HOUSE[room].name, 'place'); say(HOUSE[room].text);
    Object.keys(lies).forEach(function (t) { if (lies[t] === room) say('You see ' + THINGS[t] + '.'); });
    show();
  }
  function show() { $('where').textContent = HOUSE[room].name + ' · chapter ' + chapter; $('score').textContent = score; $('lamp').textContent = '▮'.repeat(Math.max(0, Math.ceil(lamp / 3))) || 'out'; }

  var verbs = {
    look: arrive,
    go: function (to) { var next = HOUSE[room].exits[to]; if (next) { room = next; arrive(); } else say('You cannot go that way.', 'bad'); },
    take: function (t) { if (lies[t] === room) { delete lies[t]; bag.push(t); score += 20; say('You take ' + THINGS[t] + '.', 'good'); } else say('There is no such thing here.', 'bad'); },
    inventory: function () { say(bag.length ? 'You carry ' + bag.map(function (t) { return THINGS[t]; }).join(', ') + '.' : 'You carry nothing but the lamp.'); },
    use: function (t) {
      if (bag.indexOf(t) < 0) return say('You do not have that.', 'bad');
      if (t === 'oil') { lamp = 33; bag.splice(bag.indexOf('oil'), 1); score += 10; return say('The flame stands up straight again.', 'good'); }
      if (t === 'key') return verbs.open('clock');
      verbs.eat(t);
    },
    eat: function (t) { if (t === 'apple' && bag.indexOf('apple') >= 0) { bag.splice(bag.indexOf('apple'), 1); score += 5; say('Sour, and the best thing today.', 'good'); } else say('Better not.', 'bad'); },
    read: function () { if (room !== 'workshop') return say('Nothing to read here.', 'bad'); if (!wound) { wound = true; score += 20; } say('The chalk says: ' + hour + ' o’clock, no later.', 'good'); },
    open: function (t) {
      if (t !== 'clock' || room !== 'hall') return say('That does not open.', 'bad');
      if (bag.indexOf('key') < 0) return say('The clock’s case is locked. The keyhole has the shape of a clover leaf.', 'bad');
      if (!open) { open = true; chapter = 2; score += 40; }
      say('The case opens. Now the hands can be set.', 'good'); show();
    },
    set: function (n) {
      if (room !== 'hall' || !open) return say('There is nothing you could set.', 'bad');
      if (Number(n) !== hour) return say('Tick. Nothing more. That was not the hour.', 'bad');
      score += 100 + lamp * 2; finished = true; chapter = 3; say('The clock strikes ' + hour + '. Somewhere above you the rocking horse begins to move. You have won with ' + score + ' points.', 'good'); again();
    }
  };
  var short = { l: 'look', i: 'inventory', walk: 'go', get: 'take', grab: 'take', unlock: 'open', examine: 'look', turn: 'set', wind: 'set', x: 'look' };
  function again() { say('Type "restart" to go in again.'); show(); }

  $('line').addEventListener('submit', function (e) {
    e.preventDefault();
    var text = $('say').value.trim().toLowerCase(); $('say').value = '';
    if (!text) return;
    say('> ' + text, 'you');
    if (text === 'restart') { begin(); return; }
    if (finished) { again(); return; }
    var words = text.replace(/\b(the|a|an|to|at|with)\b/g, ' ').split(/\s+/).filter(Boolean), verb = short[words[0]] || words[0];
    turns++; lamp--;
    if (HOUSE[room].exits[verb]) verbs.go(verb);
    else if (verbs.hasOwnProperty(verb)) verbs[verb](words[words.length - 1]);
    else say(['The house does not know that word.', 'Nobody answers.', 'The lamp flickers, as if it shook its head.'][roll(3)], 'bad');
    if (lamp === 8 && !finished) say('The lamp is getting low.', 'bad');
    if (lamp <= 0 && !finished) { finished = true; say('The lamp goes out. Game over, with ' + score + ' points.', 'bad'); again(); }
    show();
  });
  cover();
})();
