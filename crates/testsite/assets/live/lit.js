import { LitElement, html, nothing } from 'lit';

// A template for each shape of element, made once: lit tells templates by the identity of their texts.
const shapes = new Map();
const EMPTY = /^(img|input|br|hr|link)$/;

function shape(node, names) {
  const key = [node.name, node.on && node.on.event, ...names].join(' ');
  if (!shapes.has(key)) {
    let text = '<' + node.name;
    const texts = names.map((name) => {
      const before = text + ' ' + name + '="';
      text = '"';
      return before;
    });
    if (node.on) {
      texts.push(text + ' @' + node.on.event + '="');
      text = '"';
    }
    texts.push(text + '>');
    if (!EMPTY.test(node.name)) texts.push('</' + node.name + '>');
    texts.raw = texts.slice();
    shapes.set(key, texts);
  }
  return shapes.get(key);
}

function element(node) {
  if (typeof node === 'string') return node;
  const names = Object.keys(node.attributes);
  const values = names.map((name) => node.attributes[name]);
  if (node.on) values.push(node.on.handler);
  // What is inside a text field is no markup.
  if (!EMPTY.test(node.name)) values.push(node.name === 'textarea' ? node.children.join('') : node.children.map(element));
  return html(shape(node, names), ...values);
}

Live.region = function (container, name) {
  const drawn = { nodes: Live.read(container.childNodes) };
  if (!customElements.get(name)) {
    customElements.define(name, class extends LitElement {
      static properties = { drawn: { attribute: false } };
      render() { return this.drawn ? this.drawn.nodes.map(element) : nothing; }
    });
  }
  // Styles do not reach behind a shadow root.
  const styles = Array.from(document.querySelectorAll('link[rel=stylesheet]'), (link) => link.cloneNode());
  drawn.nodes.unshift(...Live.read(styles));
  const host = document.createElement(name);
  host.drawn = drawn;
  drawn.draw = () => host.requestUpdate();
  Live.drawn.push(drawn);
  container.replaceChildren(host);
  host.performUpdate();
  Live.roots.push(host.renderRoot);
};
