// What makes the markup of a site live. An element says which event on it does what (data-on,
// data-do, data-arg); the site puts its functions into Live.acts. Each technique replaces
// Live.region and what else it does in its own way; here everything is bound by hand.
var Live = {
  acts: {},
  // Shadow roots of regions, where there are any.
  roots: [],
  call: function (name, argument, element, event) {
    if (event.type === 'click' && element.localName === 'a') event.preventDefault();
    Live.acts[name](argument, element, event);
  },
  // The targets live in closures only; the markup forgets them.
  bind: function (root) {
    root.querySelectorAll('[data-on]').forEach(function (element) {
      var event = element.getAttribute('data-on');
      var name = element.getAttribute('data-do');
      var argument = element.getAttribute('data-arg');
      ['data-on', 'data-do', 'data-arg'].forEach(function (each) { element.removeAttribute(each); });
      element.addEventListener(event, function (happened) { Live.call(name, argument, element, happened); });
    });
  },
  find: function (selector) {
    return [document].concat(Live.roots).reduce(function (found, root) {
      return found || root.querySelector(selector);
    }, null);
  },
  all: function (selector) {
    return [document].concat(Live.roots).reduce(function (found, root) {
      return found.concat(Array.from(root.querySelectorAll(selector)));
    }, []);
  },
  // Replaces what is inside the element of this id.
  put: function (id, html) {
    var into = Live.find('#' + id);
    into.innerHTML = html;
    Live.bind(into);
  },
  // Adds to what is inside it.
  append: function (id, html) {
    var part = document.createElement('template');
    part.innerHTML = html;
    Live.bind(part.content);
    Live.find('#' + id).appendChild(part.content);
  },
  region: function () {},
  // The same for what is inside a shadow root.
  inside: function (root) { Live.bind(root); },
  start: function () {
    document.querySelectorAll('[data-region]').forEach(function (element) {
      var name = element.getAttribute('data-region');
      element.removeAttribute('data-region');
      Live.region(element, name);
    });
    Live.bind(document);
  }
};
document.addEventListener('DOMContentLoaded', function () { Live.start(); });
