// Writes the live tree down in document order, for the arena in Rust.
//
// Two columns: `codes`, one character an instruction, and `strings`, what the instructions use, in
// order. Joined by characters that no text may hold (they are replaced by U+FFFD in what is
// collected), they cross the pipe as one well-formed string, ten times faster than objects would.
const SEPARATOR = '\uFFFE';
const COLUMN = '\uFFFF';

const walk = (limits, boxes, shadowOf, foreign) => {
  const codes = [];
  const strings = [];
  const layout = [];
  const styles = new Map();
  let nodes = 0;
  let bytes = 0;
  let truncated = false;
  let canvases = 32;

  const say = (text) => {
    bytes += text.length;
    strings.push(text);
  };
  const room = (level) => {
    if (nodes < limits.nodes && bytes < limits.bytes && level < limits.depth) {
      nodes++;
      return true;
    }
    truncated = true;
    return false;
  };
  // Below the deepest level the tree is lost, but not what it says.
  const flatten = (node) => {
    truncated = true;
    const text = node.nodeType === 1 || node.nodeType === 3 ? node.textContent : '';
    if (!text || nodes >= limits.nodes || bytes >= limits.bytes) return;
    nodes++;
    codes.push('t');
    say(text.slice(0, limits.bytes - bytes));
  };

  const measure = (element, view) => {
    const box = element.getBoundingClientRect();
    const style = view.getComputedStyle(element);
    const look = `${style.display}|${style.fontSize}|${style.color}|${style.backgroundColor}`;
    let index = styles.get(look);
    if (index === undefined) {
      index = styles.size;
      styles.set(look, index);
    }
    const whole = (value) => Math.max(-1e7, Math.min(1e7, Math.round(value)));
    layout.push(
      whole(box.left + view.scrollX), whole(box.top + view.scrollY),
      whole(box.width), whole(box.height), index,
    );
  };

  const children = (parent, level, view) => {
    for (let node = parent.firstChild; node; node = node.nextSibling) {
      if (!visit(node, level, view)) return;
    }
  };

  // False when nothing more fits.
  const visit = (node, level, view) => {
    if (level >= limits.depth) flatten(node);
    if (!room(level)) return nodes < limits.nodes && bytes < limits.bytes;
    switch (node.nodeType) {
      case 1: {
        codes.push('e');
        say(node.localName);
        const names = namesOf(node);
        const count = names.length;
        const pixels = node.localName === 'canvas' && canvases-- > 0 ? pixelsOf(node) : '';
        strings.push(String(pixels ? count + 1 : count));
        for (let i = 0; i < count; i++) {
          say(names[i]);
          say(valueOf(node, names[i]));
        }
        if (pixels) {
          say('bathys-pixels');
          say(pixels);
        }
        if (boxes) measure(node, view);
        const root = shadowOf(node);
        if (root && room(level + 1)) {
          codes.push('s');
          children(root, level + 2, view);
          codes.push('.');
        }
        if (node.localName === 'iframe' || node.localName === 'frame') {
          let inner = null;
          try {
            inner = node.contentDocument;
          } catch {
            inner = null;
          }
          if (inner) {
            if (room(level + 1)) {
              codes.push('d');
              say(inner.URL);
              say(inner.baseURI);
              children(inner, level + 2, inner.defaultView || view);
              codes.push('.');
            }
          } else if (node.contentWindow) {
            // Another origin: this frame is walked in its own world and put in here.
            codes.push('f');
            foreign.push(node);
          }
        }
        children(node.localName === 'template' && node.content ? node.content : node, level + 1, view);
        codes.push('.');
        break;
      }
      case 3:
      case 4:
        codes.push('t');
        say(node.data);
        break;
      case 8:
        codes.push('c');
        say(node.data);
        break;
      case 10:
        codes.push('D');
        say(node.name +
          (node.publicId ? ` PUBLIC "${node.publicId}"` : node.systemId ? ' SYSTEM' : '') +
          (node.systemId ? ` "${node.systemId}"` : ''));
        break;
      default:
        nodes--;
    }
    return true;
  };

  children(document, 1, window);
  const body = document.scrollingElement || document.documentElement;
  const text = [
    codes.join(''),
    location.href,
    document.title,
    String(body ? body.scrollHeight : 0),
    truncated ? '1' : '0',
    layout.join(','),
    [...styles.keys()].join(';'),
    document.baseURI,
  ];
  // Joined once, cleaned once: cheaper than looking at every string.
  const column = strings.map(clean).join(SEPARATOR);
  return [...text.map(clean), column].join(COLUMN).toWellFormed();
};

const clean = (text) =>
  text.includes(SEPARATOR) || text.includes(COLUMN) ? text.replace(/[\uFFFE\uFFFF]/g, '\uFFFD') : text;
