// Draws the page anew from what the server has sent, as a framework does that renders twice.
(() => {
  const make = (tag, name, ...inside) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    element.append(...inside);
    return element;
  };
  const link = (name, from, text) => {
    const element = make('a', name, text === undefined ? from.textContent : text);
    element.href = from.getAttribute('href');
    return element;
  };
  const part = (root, name) => root.querySelector(`[itemprop="${name}"]`);
  const person = (root) => {
    const author = part(root, 'author');
    const page = author.querySelector('a');
    return page ? link('tm-9c1', page) : make('span', 'tm-9c1', author.textContent);
  };
  const when = (time) => {
    const element = make('span', 'tm-5e0', time.textContent);
    element.title = new Date(time.dateTime).toUTCString();
    return element;
  };
  const act = (kind, label, target) => {
    const button = make('button', 'tm-a77', label);
    button.type = 'button';
    button.addEventListener('click', () => fetch('/act/' + kind, { method: 'POST', body: target }));
    return button;
  };

  const row = (item) => {
    const marks = { pinned: 'Pinned', closed: 'Closed' };
    const title = link('tm-21d', part(item, 'url'));
    const line = make('div', 'tm-b04', 'by ', person(item), ' ', when(part(item, 'dateCreated')));
    const mark = marks[item.dataset.mark];
    const count = make('div', 'tm-f3a', part(item, 'commentCount').textContent + ' replies');
    const last = make('div', 'tm-f3b', 'active ', when(part(item, 'dateModified')));
    return make('div', 'tm-7aa', mark ? make('i', 'tm-mk', mark) : '', title, line, count, last);
  };
  const post = (item) => {
    const text = part(item, 'text');
    const head = make('div', 'tm-d18', person(item), ' ', when(part(item, 'datePublished')), ' ');
    head.append(link('tm-e90', part(item, 'url'), '#' + part(item, 'url').textContent));
    const body = make('div', 'tm-c55', ...text.childNodes);
    const rest = make('div', 'tm-c56');
    const edited = item.querySelector('small time');
    if (edited) rest.append('Edited ', when(edited));
    const signature = item.querySelector('footer');
    if (signature) rest.append(make('div', 'tm-5ig', signature.textContent));
    rest.append(act('like', 'Like ' + item.dataset.likes, item.id), act('report', 'Report', item.id));
    const drawn = make('div', 'tm-3f2', head, body, rest);
    drawn.id = item.id;
    return drawn;
  };

  const main = document.querySelector('main');
  const drawn = make('div', 'tm-root');
  const thread = main.querySelector('[itemprop="comment"]');
  for (const item of main.querySelectorAll(':scope > *, [itemprop="comment"], aside, h1')) {
    if (item.matches('[itemprop="comment"]')) drawn.append(post(item));
    else if (item.matches('aside')) drawn.append(make('div', 'tm-ad', ...item.childNodes));
    else if (item.matches('[itemscope]')) thread || drawn.append(row(item));
    else if (item.matches('h1')) drawn.append(make('h1', 'tm-h', item.textContent));
    else drawn.append(item.cloneNode(true));
  }
  main.replaceWith(drawn);
})();
