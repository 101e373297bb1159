// The name of a place in a page, as `page::tree::path` writes it:
//   /html/body/div[2]/a[1]
//   /html/body/x-app[1]/shadow-root()/button[1]
//   /html/body/iframe[1]/document()/html/body/a[1]
// html, head and body carry no index when it is 1; every other step does, counted among the
// element siblings of the same name.
const stepName = (name, index) =>
  index === 1 && (name === 'html' || name === 'head' || name === 'body') ? name : `${name}[${index}]`;

const pathOf = (element) => {
  let path = '';
  let at = element;
  while (at && at.nodeType !== 9) {
    if (at.nodeType === 11) {
      path = `/shadow-root()${path}`;
      at = at.host;
      continue;
    }
    let index = 1;
    for (let before = at.previousElementSibling; before; before = before.previousElementSibling) {
      if (before.localName === at.localName) index++;
    }
    path = `/${stepName(at.localName, index)}${path}`;
    at = at.parentNode;
  }
  // A frame that this world can see into is part of the path of what is in it.
  const outer = at && at.defaultView && at !== document ? at.defaultView.frameElement : null;
  return outer ? `${pathOf(outer)}/document()${path}` : path;
};

/// Finds the element of a path. Where the path enters a frame that this world may not see, returns
/// the frame's element as `frame` and what is left of the path as `rest`.
const follow = (path, shadowOf) => {
  let at = document;
  const steps = String(path).split('/').slice(1);
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i];
    if (step === 'shadow-root()') {
      at = shadowOf(at);
    } else if (step === 'document()') {
      let inner = null;
      try {
        inner = at.contentDocument;
      } catch {
        inner = null;
      }
      if (!inner && at.contentWindow) return { frame: at, rest: '/' + steps.slice(i + 1).join('/') };
      at = inner;
    } else {
      const parts = /^(.*?)(?:\[(\d+)\])?$/.exec(step);
      let left = parts[2] ? Number(parts[2]) : 1;
      let child = at.firstElementChild;
      while (child && !(child.localName === parts[1] && --left === 0)) child = child.nextElementSibling;
      at = child;
    }
    if (!at) return {};
  }
  return at === document ? { element: document.documentElement } : { element: at };
};

// Names and values as such: each attribute as an object costs more than all the rest of a walk. Not
// asked of the element itself, since a form shows its fields under any name.
const { getAttribute, getAttributeNames } = Element.prototype;
const namesOf = (element) => Reflect.apply(getAttributeNames, element, []);
const attributeOf = (element, name) => Reflect.apply(getAttribute, element, [name]);
const valueOf = (element, name) => attributeOf(element, name) || '';

/// What an element says of itself, short: part of its identity, and the last way to find it again.
const fold = (text, most) => String(text).slice(0, 20 * most + 1000).replace(/\s+/g, ' ').trim().slice(0, most);
const ownText = (element) => fold(
  element.localName === 'html'
    ? ''
    : element.textContent || element.value || valueOf(element, 'aria-label') || valueOf(element, 'title'),
  80,
).toWellFormed();
