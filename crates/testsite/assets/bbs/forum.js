// What a visitor can do on the forum, whatever the build binds it to.
var Forum = (function () {
  function later(act) {
    setTimeout(act, FORUM.timers);
  }
  function go(url) {
    later(function () { location.href = url; });
  }
  function login() {
    go('/login');
  }
  return {
    // Builds replace it: it puts a loaded page into the region.
    show: null,
    json: false,
    turn: function (page) {
      later(function () {
        fetch(FORUM.source + encodeURIComponent(page))
          .then(function (answer) {
            if (!answer.ok) throw new Error('page ' + page);
            return Forum.json ? answer.json() : answer.text();
          })
          .then(Forum.show)
          .catch(function () {});
      });
    },
    jump: function (button) {
      var page = parseInt(button.parentNode.querySelector('input').value, 10);
      if (page > 0) Forum.turn(page);
    },
    open: function (thread) { go('/thread/' + thread); },
    like: function (post) {
      later(function () {
        fetch('/ajax/like', { method: 'POST', body: new URLSearchParams({ id: post }) })
          .then(function (answer) { return answer.text(); })
          .then(function (more) {
            var shown = document.getElementById('likes' + post);
            if (shown) shown.textContent = Number(shown.textContent) + Number(more);
          });
      });
    },
    smile: function (code) {
      var text = document.querySelector('.quick textarea');
      if (text) text.value += code;
    },
    count: function () {},
    // Everything that needs an account ends at its door.
    write: login,
    quote: login,
    report: login,
    answer: login,
    friend: login,
    message: login
  };
})();
