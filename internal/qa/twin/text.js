// Reads the line or paragraph at a place, as much of it as a player would type at once. Letters
// may be elements of their own.
(x, y) => {
  const most = 60;
  let e = document.elementFromPoint(x, y);
  while (e && e.parentElement && getComputedStyle(e).display.startsWith('inline')) e = e.parentElement;
  return (e ? e.innerText : '').replace(/\s+/g, ' ').trim().slice(0, most);
}
