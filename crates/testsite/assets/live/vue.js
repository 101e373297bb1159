(function () {
  'use strict';
  function element(node) {
    if (typeof node === 'string') return node;
    const properties = { ...node.attributes };
    if (node.on) properties['on' + node.on.event[0].toUpperCase() + node.on.event.slice(1)] = node.on.handler;
    return Vue.h(node.name, properties, node.children.map(element));
  }

  Live.region = function (container) {
    const drawn = { nodes: Live.read(container.childNodes) };
    const turn = Vue.ref(0);
    drawn.draw = () => { turn.value++; };
    Live.drawn.push(drawn);
    container.textContent = '';
    Vue.createApp({
      setup: () => () => turn.value >= 0 && drawn.nodes.map(element),
    }).mount(container);
  };
})();
