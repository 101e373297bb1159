// Writes the live tree down in document order, for the arena in Rust.
//
// Two columns: `codes`, one character an instruction, and `strings`, what the instructions use, in
// order. Joined by characters that no text may hold (they are replaced by U+FFFD in what is
// collected), they cross the pipe as one well-formed string, ten times faster than objects would.
// If boxes are asked for, `h` is an element that is not shown, `i` one inside a picture or a control,
// and `e` has five numbers in `layout`: its box, and which of the looks it has.
const SEPARATOR = '\uFFFE';
const COLUMN = '\uFFFF';

// Elements that no style shows, and those whose inside the browser draws by itself.
const UNSEEN = new Set(['head', 'script', 'style', 'template', 'noscript', 'link', 'meta', 'title', 'base', 'param', 'source', 'track', 'area', 'noframes', 'noembed']);
const DRAWN = new Set(['svg', 'select', 'math', 'video', 'audio', 'canvas', 'object', 'textarea']);
const SHOWN = 0, HIDDEN = 1, INSIDE = 2;

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

  const whole = (value) => Math.max(-1e7, Math.min(1e7, Math.round(value)));
  // Where and how an element is shown; what is in something hidden is so too, and asking for its
  // style would make the browser work it out for nothing.
  const measure = (element, state, from) => {
    if (state !== SHOWN) return state;
    if (UNSEEN.has(element.localName)) return HIDDEN;
    const style = from.view.getComputedStyle(element);
    const display = style.display;
    if (display === 'none') return HIDDEN;
    const key = `${display}|${style.fontSize}|${style.fontWeight}|${style.color}|${style.backgroundColor}`;
    let index = styles.get(key);
    if (index === undefined) {
      index = styles.size;
      styles.set(key, index);
    }
    const box = element.getBoundingClientRect();
    layout.push(
      whole(box.left + from.x), whole(box.top + from.y), whole(box.width), whole(box.height), index,
    );
    return SHOWN;
  };
  // Where the document of a frame begins.
  const inFrame = (frame, state, from) => {
    if (!boxes || state !== SHOWN) return { ...from, x: 0, y: 0 };
    const box = frame.getBoundingClientRect();
    const style = from.view.getComputedStyle(frame);
    return {
      view: frame.contentWindow,
      x: from.x + box.left + frame.clientLeft + (parseFloat(style.paddingLeft) || 0),
      y: from.y + box.top + frame.clientTop + (parseFloat(style.paddingTop) || 0),
    };
  };

  const children = (parent, level, state, from) => {
    for (let node = parent.firstChild; node; node = node.nextSibling) {
      if (!visit(node, level, state, from)) return;
    }
  };

  // False when nothing more fits.
  const visit = (node, level, around, from) => {
    if (level >= limits.depth) flatten(node);
    if (!room(level)) return nodes < limits.nodes && bytes < limits.bytes;
    switch (node.nodeType) {
      case 1: {
        const state = boxes ? measure(node, around, from) : SHOWN;
        codes.push('ehi'[state]);
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
        const inside = state === SHOWN && DRAWN.has(node.localName) ? INSIDE : state;
        const root = shadowOf(node);
        if (root && room(level + 1)) {
          codes.push('s');
          children(root, level + 2, inside, from);
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
              children(inner, level + 2, inside, inFrame(node, state, from));
              codes.push('.');
            }
          } else if (node.contentWindow) {
            // Another origin: this frame is walked in its own world and put in here.
            codes.push('f');
            foreign.push(node);
            if (boxes) {
              const { x, y } = inFrame(node, state, from);
              layout.push(whole(x), whole(y));
            }
          }
        }
        children(node.localName === 'template' && node.content ? node.content : node, level + 1, inside, from);
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

  const shown = boxes ? { view: window, x: window.scrollX, y: window.scrollY } : {};
  children(document, 1, SHOWN, shown);
  const body = document.scrollingElement || document.documentElement;
  const text = [
    codes.join(''),
    location.href,
    document.title,
    String(body ? body.scrollHeight : 0),
    truncated ? '1' : '0',
    layout.join(','),
    [...styles.keys()].map(lookOf).join(';'),
    document.baseURI,
  ];
  // Joined once, cleaned once: cheaper than looking at every string.
  const column = strings.map(clean).join(SEPARATOR);
  return [...text.map(clean), column].join(COLUMN).toWellFormed();
};

// A look for Rust: display, font size, weight, and colours as RRGGBBAA. What is not written as RGB is
// painted to see which colour it is.
const lookOf = (key) => {
  const [display, size, weight, ...colours] = key.split('|');
  return [display, parseFloat(size) || 0, weight, ...colours.map(rgba)].join('|');
};
let paint = null;
const rgba = (colour) => {
  const parts = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(colour);
  let bytes = parts && [parts[1], parts[2], parts[3], Math.round((parts[4] === undefined ? 1 : parts[4]) * 255)];
  if (!bytes) {
    paint = paint || new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = '#000';
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    bytes = [...paint.getImageData(0, 0, 1, 1).data];
  }
  return bytes.map((byte) => Number(byte).toString(16).padStart(2, '0')).join('');
};

const clean = (text) =>
  text.includes(SEPARATOR) || text.includes(COLUMN) ? text.replace(/[\uFFFE\uFFFF]/g, '\uFFFD') : text;
