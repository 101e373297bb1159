(function () {
  'use strict';
  const L = TIE.labels;
  const list = document.getElementById('tie-list');
  const pager = document.getElementById('pager');
  let order = 'new';
  let items = [];

  function el(name, props, ...children) {
    const node = Object.assign(document.createElement(name), props);
    node.append(...children);
    return node;
  }

  function act(text, handler) {
    const link = el('a', { className: 'act', tabIndex: 0 }, text);
    link.addEventListener('click', handler);
    return link;
  }

  function button(text, handler) {
    const node = el('button', { type: 'button' }, text);
    node.addEventListener('click', handler);
    return node;
  }

  function comment(c) {
    const count = el('i', {}, String(c.likes));
    const like = el('span', { className: 'act' }, L.like + ' (', count, ')');
    like.addEventListener('click', () => Tie.post(c.id + '/like', {}, (d) => { count.textContent = d.likes; }));
    const area = el('textarea', { rows: 3, cols: 50 });
    const box = el('div', { className: 'rebox' }, area, el('p', {},
      button(L.send, () => Tie.post(c.id + '/reply', { text: area.value }, () => {
        box.classList.remove('open');
        Tie.toast(L.thanks);
      })), ' ',
      button(L.cancel, () => box.classList.remove('open'))));
    const node = el('div', { className: 'reply', id: 'c' + c.id },
      el('div', { className: 'who' }, el('b', {}, c.nick), ' ', el('span', {}, L.from + ' ' + c.place), ' ', el('em', {}, c.time)));
    if (c.quote) {
      const toggle = act(L.fold, () => {
        toggle.textContent = quote.classList.toggle('closed') ? L.unfold : L.fold;
      });
      const quote = el('blockquote', { className: 'quote' },
        el('div', { className: 'qh' }, c.quote.nick + ' ' + L.quote + ' ', toggle), el('p', {}, c.quote.text));
      node.append(quote);
    }
    node.append(el('p', { className: 'say' }, c.text), el('div', { className: 'ops' },
      like, ' ', act(L.reply, () => box.classList.add('open')), ' ', act(L.copy, () => Tie.copy(c.id)), ' ',
      act(L.report, () => Tie.post(c.id + '/report', {}, () => Tie.toast(L.thanks)))), box);
    return node;
  }

  function drawList() {
    const shown = order === 'new' ? items : items.slice().reverse();
    list.replaceChildren(...shown.map(comment));
    list.classList.remove('busy');
  }

  function drawPager(current, pages) {
    const turn = (page, text) => {
      const node = el('span', { className: 'num' }, text);
      node.addEventListener('click', () => show(page));
      return node;
    };
    const row = Tie.steps(current, pages).map((p) =>
      p === 0 ? el('span', {}, '…') : p === current ? el('b', {}, String(p)) : turn(p, String(p)));
    if (current > 1) row.unshift(turn(current - 1, L.prev));
    if (current < pages) row.push(turn(current + 1, L.next));
    const field = el('input', { type: 'text', size: 3 });
    row.push(el('span', { className: 'jump' }, L.goto + ' ', field, ' ' + L.page + ' ', button(L.go, () => {
      const page = parseInt(field.value, 10);
      if (page >= 1 && page <= pages) show(page);
    })));
    pager.replaceChildren(...row);
  }

  function show(page) {
    list.classList.add('busy');
    Tie.load(page, (data) => {
      items = data.items;
      drawList();
      drawPager(data.page, data.pages);
    });
  }

  const sorts = document.querySelectorAll('.sort a');
  sorts.forEach((link) => link.addEventListener('click', () => {
    order = link.dataset.order;
    sorts.forEach((other) => other.classList.toggle('on', other === link));
    drawList();
  }));

  show(1);
})();
