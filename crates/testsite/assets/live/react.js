(function () {
  'use strict';
  const EVENTS = { click: 'onClick', mouseover: 'onMouseOver', change: 'onChange', input: 'onInput', blur: 'onBlur' };
  const NAMES = { class: 'className', for: 'htmlFor', tabindex: 'tabIndex', colspan: 'colSpan', value: 'defaultValue', checked: 'defaultChecked', cellspacing: 'cellSpacing' };
  const FLAGS = ['hidden', 'disabled', 'checked'];

  const styles = (text) => Object.fromEntries(text.split(';').filter((rule) => rule.includes(':')).map((rule) => {
    const [name, ...value] = rule.split(':');
    return [name.trim().replace(/-(.)/g, (_, letter) => letter.toUpperCase()), value.join(':').trim()];
  }));

  function element(node, key) {
    if (typeof node === 'string') return node;
    const properties = { key };
    for (const [name, value] of Object.entries(node.attributes)) {
      const known = name === 'value' && node.name === 'option' ? 'value' : NAMES[name] || name;
      properties[known] = name === 'style' ? styles(value) : FLAGS.includes(name) ? true : value;
    }
    if (node.on) properties[EVENTS[node.on.event]] = node.on.handler;
    if (node.name === 'textarea') return React.createElement('textarea', { ...properties, defaultValue: node.children.join('') });
    return React.createElement(node.name, properties, ...node.children.map(element));
  }

  Live.region = function (container) {
    const drawn = { nodes: Live.read(container.childNodes) };
    container.textContent = '';
    const root = ReactDOM.createRoot(container);
    drawn.draw = () => ReactDOM.flushSync(() => root.render(drawn.nodes.map(element)));
    Live.drawn.push(drawn);
    drawn.draw();
  };
})();
