// Finding an element again, and firing an event on it.

/// By id, then by path, then by text. An id or a path that leads to an element of another kind or
/// with another text is doubted: a list may have grown by a row since the path was written.
const locate = (action) => {
  const fits = (element) => element && (!action.tag || element.localName === action.tag);
  const same = (element) => !action.text || ownText(element) === action.text;
  if (action.id) {
    const element = document.getElementById(action.id);
    if (fits(element) && same(element)) return { element, by: 'id' };
  }
  const place = follow(action.path, (host) => host.shadowRoot);
  if (place.frame) return place;
  if (fits(place.element) && same(place.element)) return { element: place.element, by: 'path' };
  if (action.text && action.tag) {
    const root = place.element ? place.element.getRootNode() : document;
    const found = [...root.querySelectorAll(CSS.escape(action.tag))].filter(same);
    if (found.length === 1) return { element: found[0], by: 'text' };
  }
  // The place is right and only the text differs: "next (3)" has become "next (4)".
  return fits(place.element) ? { element: place.element, by: 'path' } : {};
};

const mouse = (element, type, bubbles = true) => {
  const box = element.getBoundingClientRect();
  const init = {
    bubbles, cancelable: bubbles, composed: true, view: element.ownerDocument.defaultView,
    clientX: box.left + box.width / 2, clientY: box.top + box.height / 2,
    button: 0, detail: type === 'dblclick' ? 2 : 1,
  };
  const make = type.startsWith('pointer') ? PointerEvent : MouseEvent;
  element.dispatchEvent(new make(type, init));
};

const choose = (element, value) => {
  if (element.localName === 'select') {
    element.value = value;
  } else if (element.type === 'radio') {
    element.checked = true;
  } else if (element.type === 'checkbox') {
    element.checked = value === undefined || value === null ? !element.checked : value === 'true';
  } else if (value !== undefined && value !== null) {
    element.value = value;
  }
  element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
};

/// Gives controls their values, and returns that of the element itself, which its own event gives it.
const fill = (action, element) => {
  let own;
  for (const [path, value] of action.values) {
    const control = path === action.path ? element : follow(path, (host) => host.shadowRoot).element;
    if (control === element) own = value;
    else if (control) dispatch(control, 'change', value);
  }
  return own;
};

const dispatch = (element, event, value) => {
  switch (event) {
    case 'click':
      if (typeof element.click === 'function') element.click();
      else mouse(element, 'click');
      break;
    case 'change':
      choose(element, value);
      element.dispatchEvent(new Event('change', { bubbles: true }));
      break;
    case 'input':
      choose(element, value);
      break;
    case 'mouseover':
    case 'mouseenter':
      mouse(element, 'pointerover');
      mouse(element, 'pointerenter', false);
      mouse(element, 'mouseover');
      mouse(element, 'mouseenter', false);
      mouse(element, 'mousemove');
      break;
    case 'mouseout':
    case 'mouseleave':
      mouse(element, 'mouseout');
      mouse(element, 'mouseleave', false);
      break;
    case 'focus':
    case 'focusin':
      element.focus({ preventScroll: true });
      break;
    case 'blur':
    case 'focusout':
      element.focus({ preventScroll: true });
      element.blur();
      break;
    case 'submit':
      (element.form || element).requestSubmit();
      break;
    case 'scroll': {
      const page = element.ownerDocument;
      const whole = element === page.documentElement || element === page.body;
      const box = whole ? page.scrollingElement || element : element;
      const before = box.scrollTop;
      box.scrollTo({ top: box.scrollHeight, behavior: 'instant' });
      // The next frame brings the event, unless nothing has moved.
      if (box.scrollTop === before) (whole ? page : box).dispatchEvent(new Event('scroll', { bubbles: whole }));
      break;
    }
    case 'keydown':
    case 'keyup':
    case 'keypress':
      element.dispatchEvent(new KeyboardEvent(event, { bubbles: true, cancelable: true, composed: true, key: value || 'Enter', code: value || 'Enter' }));
      break;
    case 'touchstart':
    case 'touchend':
      element.dispatchEvent(new Event(event, { bubbles: true, cancelable: true, composed: true }));
      break;
    default:
      if (/^(mouse|pointer)|^(dblclick|contextmenu|auxclick)$/.test(event)) mouse(element, event);
      else element.dispatchEvent(new Event(event, { bubbles: true, cancelable: true, composed: true }));
  }
};

/// The middle of an element in the coordinates of the top frame, after scrolling it into view.
const centre = (element) => {
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const box = element.getBoundingClientRect();
  let x = box.left + box.width / 2;
  let y = box.top + box.height / 2;
  let view = element.ownerDocument.defaultView;
  while (view && view.frameElement) {
    const frame = view.frameElement.getBoundingClientRect();
    x += frame.left + view.frameElement.clientLeft;
    y += frame.top + view.frameElement.clientTop;
    view = view.frameElement.ownerDocument.defaultView;
  }
  return { x, y, empty: box.width === 0 || box.height === 0 };
};
