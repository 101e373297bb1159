// What the rooms share. Each room adds its own functions to M; in the build with closures, bind
// ties them to elements and takes the names away from the markup.
var M = {
  later: function (act) { setTimeout(act, MAZE.timers); },
  put: function (html, into) {
    var view = into || document.getElementById('view');
    view.innerHTML = html;
    M.bind(view);
  },
  load: function (url) {
    M.later(function () {
      fetch(url).then(function (answer) { return answer.text(); }).then(function (html) { M.put(html); });
    });
  },
  go: function (url) { M.later(function () { location.href = url; }); },
  bind: function (root) {
    root.querySelectorAll('[data-on]').forEach(function (element) {
      var event = element.getAttribute('data-on');
      var name = element.getAttribute('data-do');
      var argument = element.getAttribute('data-arg');
      ['data-on', 'data-do', 'data-arg'].forEach(function (each) { element.removeAttribute(each); });
      element.addEventListener(event, function (happened) { M[name](argument, element, happened); });
    });
  }
};
document.addEventListener('DOMContentLoaded', function () { M.bind(document); });
