// Lists what a document's local storage holds, or fills it. Documents without
// storage of their own, such as sandboxed ones, have none to tell of.
(entries) => {
  try {
    if (entries) {
      for (const { name, value } of entries) localStorage.setItem(name, value);
      return [];
    }
    return Object.keys(localStorage).map((name) => ({ name, value: localStorage.getItem(name) }));
  } catch {
    return [];
  }
}
