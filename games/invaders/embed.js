(function () {
  var frame = document.createElement('iframe');
  frame.title = 'Orchard Patrol';
  frame.src = window.PLAYTEST_GAMES.frameBase + 'invaders/orchard.html' + location.search;
  document.getElementById('slot').appendChild(frame);
})();
