// Builds the page of the address from its data.
(async () => {
  const make = (tag, name, ...inside) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    element.append(...inside);
    return element;
  };
  const link = (name, text, url) => {
    const element = make('a', name, text);
    element.href = url;
    return element;
  };
  const person = (by) =>
    by.url ? link('hitch-name', by.name, by.url) : make('span', 'hitch-name', by.name);
  const when = (time) => {
    const element = make('span', 'bell', time.text);
    element.dataset.at = time.at;
    return element;
  };
  const act = (kind, label, target) => {
    const button = make('button', 'winch', label);
    button.type = 'button';
    button.addEventListener('click', () => fetch('/act/' + kind, { method: 'POST', body: target }));
    return button;
  };

  const row = (thread) => {
    const title = make('div', 'hawser-title');
    if (thread.pinned) title.append(make('em', 'moored', 'pinned'), ' ');
    if (thread.closed) title.append(make('em', 'moored', 'closed'), ' ');
    title.append(link('hawser-link', thread.title, thread.url));
    title.append(make('div', 'hawser-by', person(thread.by), ' ', when(thread.begun)));
    const count = make('div', 'hawser-count', String(thread.replies));
    const last = make('div', 'hawser-last', person(thread.last_by), ' ', when(thread.last));
    return make('div', 'hawser', title, count, last);
  };
  const post = (said) => {
    const head = make('div', 'hitch-head', person(said.by), make('i', '', said.by.note), when(said.time));
    head.append(link('hitch-number', '#' + said.number, said.url));
    const text = make('div', 'hitch-text');
    text.innerHTML = said.html;
    const box = make('div', 'hitch', head, text);
    box.id = 'knot-' + said.id;
    if (said.files.length) box.append(make('ul', 'lashed', ...said.files.map((file) => make('li', '', file))));
    if (said.edited) box.append(make('div', 'retied', 'edited ', when(said.edited)));
    if (said.signature) box.append(make('div', 'hitch-sign', said.signature));
    box.append(act('like', 'Cheer ' + said.likes, String(said.id)), act('report', 'Report', String(said.id)));
    return box;
  };

  const address = location.pathname + location.search;
  const answer = await fetch('/api' + address);
  const data = answer.ok ? await answer.json() : { title: 'Nothing here', text: 'Nothing here.' };
  document.title = data.title + ' / Bollard';
  const find = make('form', 'lookout', make('input', ''));
  find.action = '/lookout';
  find.firstChild.name = 'q';
  const page = make('div', 'quayside', make('div', 'cleat', link('', 'Bollard', '/'), ' ', link('', 'Log in', '/gangway'), find));
  page.append(make('h1', '', data.title));
  for (const board of data.boards || []) {
    page.append(make('p', 'basin', link('', board.name, board.url), data.view === 'index' ? ' ' + board.about : ''));
  }
  if (data.text) page.append(make('p', 'sounding', data.text));
  if (data.poll) {
    const lines = data.poll.map(([text, votes]) => make('li', '', text + ': ' + votes));
    page.append(make('ul', 'muster', ...lines), act('vote', 'Vote', address));
  }
  const rope = make('div', 'rope');
  (data.rows || []).forEach((thread) => rope.append(row(thread)));
  (data.posts || []).forEach((said, index) => {
    rope.append(post(said));
    if (index === 1) rope.append(make('div', 'flotsam', link('', data.advert.text, data.advert.url)));
  });
  (data.stubs || []).forEach((stub) => rope.append(make('div', 'hawser', 'See: ', link('', stub.title, stub.url))));
  page.append(rope);
  if ((data.pages || []).length) {
    const numbers = data.pages.map((leaf) =>
      leaf.url ? link('fathom', String(leaf.number), leaf.url) : make('b', 'fathom', String(leaf.number)));
    page.append(make('div', 'fathoms', ...numbers));
  }
  if (data.view === 'login') page.append(act('login', data.button, 'login'));
  document.getElementById('bollard').replaceWith(page);
})();
