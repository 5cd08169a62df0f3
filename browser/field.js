// Runs on an element: what it says and holds, what kind of field it is, and what
// input alone cannot do to it.
function (what, value) {
  const tag = this.tagName;
  const tell = () => {
    for (const type of ['input', 'change']) this.dispatchEvent(new Event(type, { bubbles: true }));
  };
  switch (what) {
    case 'text':
      return this.innerText ?? this.textContent;
    case 'value':
      return this.value ?? '';
    case 'attribute':
      return this.getAttribute(value) ?? '';
    case 'visible': {
      const e = this.nodeType === 1 ? this : this.parentElement;
      const r = e.getBoundingClientRect();
      return e.isConnected && r.width > 0 && r.height > 0 && getComputedStyle(e).visibility === 'visible';
    }
    case 'focus':
      (this.nodeType === 1 ? this : this.parentElement).focus();
      return '';
    case 'checked':
      return 'checked' in this ? this.checked : this.getAttribute('aria-checked') === 'true' || this.getAttribute('aria-pressed') === 'true';
    case 'file':
      return tag === 'INPUT' ? this.type : '';
    case 'kind':
      if (this.nodeType !== 1) return 'none';
      if (tag === 'SELECT') return this.matches(':disabled') ? 'off' : 'select';
      if (tag === 'INPUT' || tag === 'TEXTAREA') {
        if (this.matches(':disabled') || this.readOnly) return 'off';
        if (['date', 'datetime-local', 'month', 'time', 'week', 'color', 'range'].includes(this.type)) return 'set';
        return ['button', 'submit', 'reset', 'image', 'checkbox', 'radio', 'file'].includes(this.type) ? 'none' : 'text';
      }
      if (this.isContentEditable) return 'text';
      return this.getAttribute('role') === 'textbox' || this.getAttribute('role') === 'combobox' ? 'text' : 'none';
    case 'set': {
      // The prototype's setter, because frameworks put their own on the element.
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(this, value);
      tell();
      return this.value === '' && value !== '' ? value : '';
    }
    case 'all':
    case 'end': {
      this.focus();
      if (tag === 'INPUT' || tag === 'TEXTAREA') {
        if (what === 'all') { this.select(); return ''; }
        try { this.setSelectionRange(this.value.length, this.value.length); } catch { /* numbers and e-mail have no caret */ }
        return '';
      }
      const range = document.createRange();
      range.selectNodeContents(this);
      if (what === 'end') range.collapse(false);
      const selection = getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
      return '';
    }
    case 'check':
    case 'select': {
      const list = Array.isArray(value) ? value : [value];
      const chosen = [];
      for (const want of list) {
        const fold = (s) => s.trim().replace(/\s+/g, ' ').toLowerCase();
        const options = [...this.options];
        let option = options.find((o) => o.label === want || o.value === want) ||
          options.find((o) => fold(o.label) === fold(want) || fold(o.text) === fold(want));
        if (!option && want.endsWith('…')) {
          // A long option is shown cut; what is shown of it will do if it fits one alone.
          const start = fold(want.slice(0, -1));
          const fits = start ? options.filter((o) => fold(o.label).startsWith(start)) : [];
          if (fits.length === 1) option = fits[0];
        }
        if (!option || option.disabled) return want;
        chosen.push(option);
      }
      if (what === 'check') return '';
      if (this.multiple) for (const o of this.options) o.selected = chosen.includes(o);
      else chosen[0].selected = true;
      tell();
      return '';
    }
  }
}
