// A page that is being left opens no more dialogs, as the HTML standard has it for the
// last moments of a page. While the next page is about to take its place Chromium
// still opens one, takes the answer for the next page, and waits for ever.
(() => {
  const silent = { alert() {}, confirm() { return false; }, prompt() { return null; } };
  const own = {};
  const leave = (e) => {
    if (e.destination.sameDocument || e.downloadRequest !== null || own.alert) return;
    for (const name in silent) {
      own[name] = window[name];
      window[name] = silent[name];
    }
  };
  const stay = () => {
    for (const name in own) {
      if (window[name] === silent[name]) window[name] = own[name];
      delete own[name];
    }
  };
  window.navigation?.addEventListener('navigate', leave);
  window.navigation?.addEventListener('navigateerror', stay);
  window.addEventListener('pageshow', stay);
})();
//# sourceURL=playtest:leaving
