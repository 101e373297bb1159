// What the comment pages share: loading, posting, the row of page numbers.
var Tie = (function () {
  var turn = 0;

  function request(method, url, body, done) {
    var xhr = new XMLHttpRequest();
    xhr.open(method, url, true);
    if (method === 'POST') {
      xhr.setRequestHeader('Content-Type', 'application/x-www-form-urlencoded');
      xhr.setRequestHeader('X-CSRF-Token', document.querySelector('meta[name=csrf-token]').content);
    }
    xhr.onload = function () {
      if (xhr.status === 200) done(JSON.parse(xhr.responseText));
      else toast(TIE.labels.failed);
    };
    xhr.onerror = function () { toast(TIE.labels.failed); };
    xhr.send(body);
  }

  function toast(text) {
    var box = document.getElementById('toast');
    box.textContent = text;
    box.className = 'toast on';
    setTimeout(function () { box.className = 'toast'; box.textContent = ''; }, 1500);
  }

  return {
    // The last page that was asked for wins, however late the others arrive.
    load: function (page, done) {
      var mine = ++turn;
      setTimeout(function () {
        request('GET', '/api/comments/' + TIE.code + '?page=' + page, null, function (data) {
          if (mine === turn) done(data);
        });
      }, TIE.delay);
    },
    post: function (path, fields, done) {
      var body = Object.keys(fields).map(function (key) {
        return encodeURIComponent(key) + '=' + encodeURIComponent(fields[key]);
      }).join('&');
      request('POST', '/api/comments/' + path, body, done);
    },
    // Page numbers, with 0 for a gap: 1 0 4 5 6 0 11.
    steps: function (current, pages) {
      var low = Math.max(1, Math.min(current - 1, pages - 2));
      var high = Math.min(pages, Math.max(current + 1, 3));
      var steps = [], last = 0;
      for (var p = 1; p <= pages; p++) {
        if (p !== 1 && p !== pages && (p < low || p > high)) continue;
        if (p > last + 1) steps.push(0);
        steps.push(p);
        last = p;
      }
      return steps;
    },
    copy: function (id) {
      var link = location.href.split('#')[0] + '#c' + id;
      if (navigator.clipboard) navigator.clipboard.writeText(link).catch(function () {});
      toast(TIE.labels.copied);
    },
    toast: toast
  };
})();
