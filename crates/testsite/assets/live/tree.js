// Markup as data, for frameworks that draw it themselves: a text, or a name with attributes, an
// event and children.
Live.read = function (nodes) {
  return Array.from(nodes)
    .filter(function (node) { return node.nodeType === 1 || node.nodeType === 3; })
    .map(function (node) {
      if (node.nodeType === 3) return node.data;
      var read = { name: node.localName, attributes: {}, on: null, children: Live.read(node.childNodes) };
      Array.from(node.attributes).forEach(function (attribute) {
        if (!/^data-(on|do|arg)$/.test(attribute.name)) read.attributes[attribute.name] = attribute.value;
      });
      var event = node.getAttribute('data-on');
      if (event) {
        var name = node.getAttribute('data-do');
        var argument = node.getAttribute('data-arg');
        read.on = {
          event: event,
          handler: function (happened) { Live.call(name, argument, happened.currentTarget, happened); }
        };
      }
      return read;
    });
};
Live.drawn = [];
(function () {
  var byHand = { put: Live.put, append: Live.append };
  function named(nodes, id) {
    return nodes.reduce(function (found, node) {
      if (found || typeof node === 'string') return found;
      return node.attributes.id === id ? node : named(node.children, id);
    }, null);
  }
  function change(how, id, html, keep) {
    for (var i = 0; i < Live.drawn.length; i++) {
      var node = named(Live.drawn[i].nodes, id);
      if (!node) continue;
      var template = document.createElement('template');
      template.innerHTML = html;
      node.children = (keep ? node.children : []).concat(Live.read(template.content.childNodes));
      return Live.drawn[i].draw();
    }
    byHand[how](id, html);
  }
  Live.put = function (id, html) { change('put', id, html, false); };
  Live.append = function (id, html) { change('append', id, html, true); };
  Live.inside = function (root, name) { Live.region(root, name); };
})();
