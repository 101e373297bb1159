(function () {
  var h = React.createElement;
  var L = FORUM.labels;
  var NOWHERE = { href: '#' };
  function act(name, argument) {
    return Object.assign({}, NOWHERE, {
      onClick: function (event) { event.preventDefault(); Forum[name](argument); }
    });
  }
  function Link(props) {
    var link = props.link;
    var to = link.script ? act('open', link.id) : { href: link.url };
    return h('a', Object.assign({ className: props.className }, to), link.text);
  }
  function Pager(props) {
    var steps = props.steps;
    var field = React.useRef(null);
    if (!steps.length) return null;
    return h('div', { className: 'pages' },
      steps.map(function (step, i) {
        return step.here
          ? h('strong', { key: i }, step.label)
          : h('a', Object.assign({ key: i }, act('turn', step.page)), step.label);
      }),
      h('label', null, L.jump + ' ', h('input', { size: 3, name: 'page', ref: field })),
      h('button', {
        type: 'button',
        onClick: function () {
          var page = parseInt(field.current.value, 10);
          if (page > 0) Forum.turn(page);
        }
      }, L.go));
  }
  function Row(props) {
    var row = props.row;
    return h('tr', null,
      h('td', { className: 'icon' }, h('span', { className: row.replies > 15 ? 'folder hot' : 'folder' })),
      h('th', { className: 'subject' }, h(Link, { link: row.thread, className: 'xst' })),
      h('td', { className: 'by' }, h('cite', null, h(Link, { link: row.author, className: 'nick' })), h('em', null, row.begun)),
      h('td', { className: 'nums' }, h('strong', null, row.replies), ' / ', h('em', null, row.views)),
      h('td', { className: 'by' }, h('cite', null, h(Link, { link: row.last, className: 'nick' })), h('em', null, row.last_time)));
  }
  function List(props) {
    var view = props.view;
    return h(React.Fragment, null,
      h('div', { className: 'bar' }, h(Pager, { steps: view.pager }), h('span', { className: 'range' }, view.marker)),
      h('table', { className: 'threads', cellSpacing: 0 },
        h('thead', null, h('tr', null, h('td'), h('th', null, L.threads), h('td', null, L.author), h('td', null, L.replies), h('td', null, L.lastPost))),
        h('tbody', null, view.rows.map(function (row) { return h(Row, { key: row.thread.id, row: row }); }))),
      h('div', { className: 'bar' }, h(Pager, { steps: view.pager })));
  }
  function Post(props) {
    var post = props.post;
    return h('div', { className: 'post', id: 'pid' + post.id },
      h('div', { className: 'who' },
        h('div', { className: 'name' }, h(Link, { link: post.author, className: 'nick' })),
        h('a', { href: post.author.url, className: 'avatar a' + post.group_number }),
        h('p', { className: 'group' }, post.group), h('p', null, post.count), h('p', null, post.joined),
        h('p', null, h('a', act('friend', post.author.id), L.friend), h('a', act('message', post.author.id), L.message))),
      h('div', { className: 'what' },
        h('div', { className: 'head' }, h('em', null, post.posted), h('span', null, post.marker), h('strong', null, post.floor)),
        h('div', { className: 'text' },
          post.quote && h('blockquote', null, h('b', null, post.quote.head), ' ', post.quote.text),
          h('p', null, post.text + ' ', h('img', { src: '/static/smiley.svg', alt: ':)', width: 16, height: 16 }))),
        h('div', { className: 'sign' }, post.signature),
        h('div', { className: 'foot' },
          h('a', act('like', post.id), L.like + ' (', h('span', { id: 'likes' + post.id }, post.likes), ')'),
          h('a', act('quote', post.id), L.quote), h('a', act('report', post.id), L.report), h('a', act('answer', post.id), L.reply),
          h('a', { href: 'http://share.quayside.example/?post=' + post.id }, L.share), h('a', { href: '#top' }, 'TOP'))));
  }
  function Thread(props) {
    var view = props.view;
    return h(React.Fragment, null,
      h('div', { className: 'bar' }, h(Pager, { steps: view.pager })),
      view.posts.map(function (post) { return h(Post, { key: post.id, post: post }); }),
      h('div', { className: 'bar' }, h(Pager, { steps: view.pager })));
  }
  function Region() {
    var held = React.useState(FORUM.drawn);
    Forum.show = held[1];
    var view = held[0];
    return view.rows ? h(List, { view: view }) : h(Thread, { view: view });
  }
  Forum.json = true;
  // The frame of the site is older than React, and bound by hand.
  document.querySelectorAll('[data-act]').forEach(function (element) {
    var name = element.getAttribute('data-act');
    var argument = element.getAttribute('data-arg');
    element.addEventListener('click', function () { Forum[name](argument); });
  });
  if (FORUM.drawn) ReactDOM.createRoot(document.getElementById('region')).render(h(Region));
})();
