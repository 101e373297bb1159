(function () {
  // The targets live in closures only; the markup forgets them.
  function bind(root) {
    root.querySelectorAll('[data-act]').forEach(function (element) {
      var act = element.getAttribute('data-act');
      var argument = act === 'jump' ? element : element.getAttribute('data-arg');
      element.removeAttribute('data-act');
      element.removeAttribute('data-arg');
      element.addEventListener('click', function () { Forum[act](argument); });
    });
  }
  Forum.show = function (html) {
    var region = document.getElementById('region');
    region.innerHTML = html;
    bind(region);
  };
  bind(document);
})();
