var current = 1, pages = 1, order = 'new', items = [];
var L = TIE.labels;

function esc(s) {
  return String(s).replace(/[&<>"']/g, function (c) { return '&#' + c.charCodeAt(0) + ';'; });
}

function goPage(n) {
  document.getElementById('tie-list').className = 'tie-list busy';
  Tie.load(n, function (data) {
    current = data.page;
    pages = data.pages;
    items = data.items;
    drawList();
    drawPager();
  });
}

function jumpPage() {
  var n = parseInt(document.getElementById('jump-to').value, 10);
  if (n >= 1 && n <= pages) goPage(n);
}

function drawList() {
  var shown = order === 'new' ? items : items.slice().reverse();
  var html = '';
  for (var i = 0; i < shown.length; i++) {
    var c = shown[i];
    html += '<div class="reply" id="c' + c.id + '"><div class="who"><b>' + esc(c.nick) + '</b> <span>' +
      L.from + ' ' + esc(c.place) + '</span> <em>' + c.time + '</em></div>';
    if (c.quote) {
      html += '<blockquote class="quote" id="q' + c.id + '"><div class="qh">' + esc(c.quote.nick) + ' ' + L.quote +
        ' <a href="javascript:void(0)" onclick="fold(' + c.id + ')">' + L.fold + '</a></div><p>' + esc(c.quote.text) + '</p></blockquote>';
    }
    html += '<p class="say">' + esc(c.text) + '</p><div class="ops">' +
      '<a href="javascript:void(0)" onclick="ding(' + c.id + ')">' + L.like + ' (<i id="n' + c.id + '">' + c.likes + '</i>)</a> ' +
      '<a href="javascript:void(0)" onclick="reBox(' + c.id + ',1)">' + L.reply + '</a> ' +
      '<a href="javascript:void(0)" onclick="Tie.copy(' + c.id + ')">' + L.copy + '</a> ' +
      '<a href="javascript:void(0)" onclick="jubao(' + c.id + ')">' + L.report + '</a></div>' +
      '<div class="rebox" id="r' + c.id + '"><textarea rows="3" cols="50"></textarea><p><button onclick="sendRe(' + c.id + ')">' +
      L.send + '</button> <button onclick="reBox(' + c.id + ',0)">' + L.cancel + '</button></p></div></div>';
  }
  var list = document.getElementById('tie-list');
  list.innerHTML = html;
  list.className = 'tie-list';
}

function drawPager() {
  var html = '';
  function link(n, text) {
    html += '<a href="javascript:void(0)" onclick="goPage(' + n + ')">' + text + '</a> ';
  }
  if (current > 1) link(current - 1, L.prev);
  Tie.steps(current, pages).forEach(function (p) {
    if (!p) html += '<span>…</span> ';
    else if (p === current) html += '<b>' + p + '</b> ';
    else link(p, p);
  });
  if (current < pages) link(current + 1, L.next);
  html += '<span class="jump">' + L.goto + ' <input type="text" id="jump-to" size="3"> ' + L.page +
    ' <input type="button" value="' + L.go + '" onclick="jumpPage()"></span>';
  document.getElementById('pager').innerHTML = html;
}

function sortBy(how) {
  order = how;
  var links = document.querySelectorAll('.sort a');
  for (var i = 0; i < links.length; i++) links[i].className = links[i].getAttribute('data-order') === how ? 'on' : '';
  drawList();
}

function ding(id) {
  Tie.post(id + '/like', {}, function (data) { document.getElementById('n' + id).innerHTML = data.likes; });
}

function jubao(id) {
  Tie.post(id + '/report', {}, function () { Tie.toast(L.thanks); });
}

function reBox(id, open) {
  document.getElementById('r' + id).style.display = open ? 'block' : 'none';
}

function sendRe(id) {
  var text = document.getElementById('r' + id).getElementsByTagName('textarea')[0].value;
  Tie.post(id + '/reply', { text: text }, function () { reBox(id, 0); Tie.toast(L.thanks); });
}

function fold(id) {
  var quote = document.getElementById('q' + id);
  var closed = quote.className === 'quote';
  quote.className = closed ? 'quote closed' : 'quote';
  quote.getElementsByTagName('a')[0].innerHTML = closed ? L.unfold : L.fold;
}

goPage(1);
