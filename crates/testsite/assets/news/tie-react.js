(function () {
  'use strict';
  const { createElement: h, useState, useEffect, useRef, memo } = React;
  const L = TIE.labels;

  const Reply = memo(function Reply({ comment: c }) {
    const [likes, setLikes] = useState(c.likes);
    const [open, setOpen] = useState(false);
    const [closed, setClosed] = useState(false);
    const area = useRef(null);
    const send = () => Tie.post(c.id + '/reply', { text: area.current.value }, () => {
      setOpen(false);
      Tie.toast(L.thanks);
    });
    return h('div', { className: 'reply', id: 'c' + c.id },
      h('div', { className: 'who' }, h('b', null, c.nick), ' ', h('span', null, L.from, ' ', c.place), ' ', h('em', null, c.time)),
      c.quote && h('blockquote', { className: closed ? 'quote closed' : 'quote' },
        h('div', { className: 'qh' }, c.quote.nick, ' ', L.quote, ' ',
          h('button', { type: 'button', className: 'act', onClick: () => setClosed(!closed) }, closed ? L.unfold : L.fold)),
        h('p', null, c.quote.text)),
      h('p', { className: 'say' }, c.text),
      h('div', { className: 'ops' },
        h('button', { type: 'button', className: 'act', onClick: () => Tie.post(c.id + '/like', {}, (d) => setLikes(d.likes)) }, L.like, ' (', h('i', null, likes), ')'),
        h('button', { type: 'button', className: 'act', onClick: () => setOpen(true) }, L.reply),
        h('button', { type: 'button', className: 'act', onClick: () => Tie.copy(c.id) }, L.copy),
        h('button', { type: 'button', className: 'act', onClick: () => Tie.post(c.id + '/report', {}, () => Tie.toast(L.thanks)) }, L.report)),
      h('div', { className: open ? 'rebox open' : 'rebox' },
        h('textarea', { ref: area, rows: 3, cols: 50 }),
        h('p', null, h('button', { type: 'button', onClick: send }, L.send), ' ',
          h('button', { type: 'button', onClick: () => setOpen(false) }, L.cancel))));
  });

  function Pager({ page, pages, go }) {
    const [wish, setWish] = useState('');
    const link = (key, target, text) => h('button', { key, type: 'button', className: 'num', onClick: () => go(target) }, text);
    const jump = () => {
      const target = parseInt(wish, 10);
      if (target >= 1 && target <= pages) go(target);
    };
    return h('div', { className: 'pager' },
      page > 1 && link('prev', page - 1, L.prev),
      Tie.steps(page, pages).map((p, i) => !p ? h('span', { key: 'gap' + i }, '…') : p === page ? h('b', { key: p }, p) : link(p, p, p)),
      page < pages && link('next', page + 1, L.next),
      h('span', { className: 'jump' }, L.goto, ' ',
        h('input', { type: 'text', size: 3, value: wish, onChange: (e) => setWish(e.target.value) }), ' ', L.page, ' ',
        h('button', { type: 'button', onClick: jump }, L.go)));
  }

  function Comments() {
    const [data, setData] = useState(null);
    const [busy, setBusy] = useState(true);
    const [order, setOrder] = useState('new');
    const go = (page) => {
      setBusy(true);
      Tie.load(page, (loaded) => { setData(loaded); setBusy(false); });
    };
    useEffect(() => go(1), []);
    if (!data) return h('p', { className: 'loading' }, L.loading);
    const shown = order === 'new' ? data.items : data.items.slice().reverse();
    const sort = (how, text) => h('button', { type: 'button', className: order === how ? 'act on' : 'act', onClick: () => setOrder(how) }, text);
    return h(React.Fragment, null,
      h('div', { className: 'tie-bar' }, h('b', null, data.total), ' ', L.total, ' ',
        h('span', { className: 'sort' }, sort('new', L.newest), ' ', sort('old', L.oldest))),
      h('div', { className: busy ? 'tie-list busy' : 'tie-list' }, shown.map((c) => h(Reply, { key: c.id, comment: c }))),
      h(Pager, { key: data.page, page: data.page, pages: data.pages, go }));
  }

  ReactDOM.createRoot(document.querySelector('.tie-app')).render(h(Comments));
})();
