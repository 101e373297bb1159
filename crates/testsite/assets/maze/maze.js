// What the rooms share. Each room adds its own functions.
var M = Live.acts;
M.later = function (act) { setTimeout(act, MAZE.timers); };
M.put = function (html) { Live.put(MAZE.view, html); };
M.fetch = function (url, then) {
  M.later(function () {
    fetch(url).then(function (answer) { return answer.text(); }).then(then);
  });
};
M.load = function (url) { M.fetch(url, M.put); };
M.go = function (url) { M.later(function () { location.href = url; }); };
