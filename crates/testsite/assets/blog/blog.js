// What a visitor can do on the blog, whatever the build binds it to.
var Blog = Live.acts;
(function () {
  var asked = 0;

  function post(url) {
    setTimeout(function () { fetch(url, { method: 'POST' }).catch(function () {}); }, BLOG.timers);
  }

  Object.assign(Blog, {
    // The last page that was asked for wins, however late the others arrive.
    turn: function (page) {
      var mine = ++asked;
      setTimeout(function () {
        fetch(BLOG.source + page).then(function (answer) {
          if (!answer.ok) throw new Error('page ' + page);
          return answer.text();
        }).then(function (html) {
          if (mine === asked) Live.put(BLOG.view, html);
        }).catch(function () {});
      }, BLOG.timers);
    },
    font: function (size) {
      document.getElementById(BLOG.text).style.fontSize = { s: '13px', m: '15px', l: '19px' }[size];
    },
    share: function () {
      if (navigator.clipboard) navigator.clipboard.writeText(location.href).catch(function () {});
    },
    reply: function (number) {
      var field = document.querySelector('#' + BLOG.write + ' textarea');
      field.value = '@' + number + ' ';
    },
    like: function (number) { post('/like/' + number); },
    report: function (number) { post('/report/' + number); },
    praise: function (code) { post('/praise/' + code); },
    subscribe: function () { post('/subscribe/blog'); }
  });
})();
