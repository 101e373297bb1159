// What in this document could be fired. Runs in the page's world, where the handlers are.
//
// Sources, the most telling first: handlers written in the markup; listeners seen by the hook;
// properties (`element.onclick = …`); React's props; jQuery's delegated selectors; selectors that
// a delegating handler names in its own text; what a user may act on by convention (buttons,
// selects, summaries, ARIA roles); and last, where the pointer turns into a hand.
((hooks) => {
  'use strict';
//PARTS
  const EVENTS = [
    'click', 'dblclick', 'contextmenu', 'mousedown', 'mouseup', 'mouseover', 'mouseenter',
    'pointerdown', 'pointerup', 'pointerover', 'pointerenter', 'touchstart', 'touchend',
    'change', 'input', 'focus', 'focusin', 'keydown', 'keyup', 'keypress', 'toggle', 'scroll',
  ];
  const KNOWN = new Set(EVENTS);
  // Looking at a property of every element costs more than all the rest: only the likely ones.
  const PROPERTIES = [
    'click', 'dblclick', 'mousedown', 'mouseup', 'mouseover', 'mouseenter', 'pointerdown', 'touchstart',
  ];
  const CONTROLS = new Set(['input', 'select', 'textarea']);
  const CONTROL_PROPERTIES = [...PROPERTIES, 'change', 'input', 'focus', 'keydown', 'keyup'];
  const REACT = {
    onDoubleClick: 'dblclick', onMouseEnter: 'mouseover', onMouseLeave: '', onFocus: 'focus',
    onChange: 'change',
  };
  const ROLES = new Set([
    'button', 'link', 'tab', 'menuitem', 'menuitemradio', 'menuitemcheckbox', 'option', 'treeitem',
    'switch', 'checkbox', 'radio', 'combobox',
  ]);
  const hasOwn = (object, key) => Object.prototype.hasOwnProperty.call(object, key);

  // Two loads of a page give the same text of a function, and different functions.
  const digest = (handler) => {
    let text = '';
    try {
      text = hooks.source(handler);
    } catch {
      return '';
    }
    let hash = 0x811c9dc5;
    for (let i = 0; i < text.length && i < 2000; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    return (hash >>> 0).toString(16).padStart(8, '0');
  };

  // Vue keeps the component's function in `value` of a wrapper that is the same everywhere.
  const real = (listener) => {
    if (typeof listener === 'function') return typeof listener.value === 'function' ? listener.value : listener;
    return listener && typeof listener.handleEvent === 'function' ? listener.handleEvent : null;
  };
  const position = (entry) => {
    const handler = real(entry.listener);
    return `${entry.site}~${handler ? digest(handler) : ''}`;
  };

  // The selectors in `closest('…')` and `matches('…')` of a handler that serves its descendants.
  const namedSelectors = (listener) => {
    const handler = real(listener);
    if (!handler) return [];
    let text = '';
    try {
      text = hooks.source(handler).slice(0, 4000);
    } catch {
      return [];
    }
    const found = new Set();
    for (const match of text.matchAll(/\.(?:closest|matches)\(\s*(['"`])((?:(?!\1)[^\\\n])+)\1/g)) found.add(match[2]);
    return [...found].slice(0, 16);
  };

  // Frameworks mark the elements that they serve with properties of their own; most elements have
  // none at all, so this one question spares all the others.
  const NONE = [];
  const marks = (target) => {
    const keys = Object.keys(target);
    return keys.length === 0 ? NONE : keys;
  };

  // What jQuery keeps about a target: its events, and the one function that it really listens with.
  const jqueryData = (target, keys) => {
    const usable = (data) => data && typeof data === 'object' && data.events && typeof data.events === 'object';
    for (const key of keys) {
      if (!key.startsWith('jQuery')) continue;
      if (usable(target[key])) return target[key];
      try {
        // Before version 2 the mark is a number, and the data is elsewhere.
        const data = window.jQuery && window.jQuery._data(target);
        if (usable(data)) return data;
      } catch {
        // Not the jQuery that it says it is.
      }
    }
    return null;
  };

  // React listens at its root to everything there is; the elements' props say what it is for.
  const isReactRoot = (keys) => keys.some((key) => key.startsWith('_reactListening'));

  const all = (root, selector) => {
    try {
      return root.querySelectorAll(selector);
    } catch {
      return [];
    }
  };

  /// Candidates of this document and of the shadow roots and frames that it can see.
  hooks.candidates = (limits) => {
    const found = new Map();
    const elements = [];
    let truncated = false;

    const note = (element, event, tier, handler, instruction, value) => {
      if (!(element instanceof Object) || element.nodeType !== 1) return;
      // Whoever listens to a select wants to know the choice: each one is an event of its own.
      if (value === undefined && element.localName === 'select' && (event === 'change' || event === 'input')) {
        options(element, handler, tier);
        return;
      }
      const own = found.get(element) || [];
      const known = own.find((one) => one.event === event && one.value === value);
      if (!known) own.push({ event, tier, handler, instruction, value });
      else if (tier < known.tier) Object.assign(known, { tier, handler, instruction });
      found.set(element, own);
    };

    const delegated = (root, type, selector, site) => {
      if (!KNOWN.has(type)) return;
      for (const element of all(root, selector)) {
        note(element, type, 1, { kind: 'delegated', selector: fold(selector, 200), at: site });
      }
    };

    const listened = (target, scope, keys) => {
      const jquery = jqueryData(target, keys);
      const entries = isReactRoot(keys) ? NONE : hooks.listeners(target);
      for (const entry of entries) {
        if (!KNOWN.has(entry.type) || jquery && entry.listener === jquery.handle) continue;
        const selectors = namedSelectors(entry.listener);
        for (const selector of selectors) delegated(scope, entry.type, selector, position(entry));
        // The document or the body as such is no place to click on.
        const wide = scope === target.ownerDocument || target === target.ownerDocument?.body ||
          target === target.ownerDocument?.documentElement;
        if (target.nodeType === 1 && !wide && selectors.length === 0) {
          note(target, entry.type, entry.type === 'click' ? 1 : 2, { kind: 'listener', at: position(entry) });
        }
      }
      if (!jquery) return;
      const events = jquery.events;
      for (const type of Object.keys(events).slice(0, 64)) {
        for (const entry of Array.from(events[type] || []).slice(0, 256)) {
          if (!entry || typeof entry.handler !== 'function') continue;
          const event = KNOWN.has(entry.origType) ? entry.origType : type;
          const at = `jquery~${digest(entry.handler)}`;
          if (typeof entry.selector === 'string' && entry.selector) delegated(scope, event, entry.selector, at);
          else if (target.nodeType === 1 && KNOWN.has(event)) note(target, event, event === 'click' ? 1 : 2, { kind: 'listener', at });
        }
      }
    };

    const reacted = (element, keys) => {
      for (const key of keys) {
        if (!key.startsWith('__reactProps$') && !key.startsWith('__reactEventHandlers$')) continue;
        const props = element[key];
        if (!props || typeof props !== 'object') return;
        for (const prop of Object.keys(props)) {
          if (!/^on[A-Z]/.test(prop) || typeof props[prop] !== 'function') continue;
          const plain = prop.replace(/Capture$/, '');
          const event = hasOwn(REACT, plain) ? REACT[plain] : plain.slice(2).toLowerCase();
          if (!KNOWN.has(event)) continue;
          const handler = { kind: 'framework', at: `react~${digest(props[prop])}` };
          const own = found.get(element);
          // React puts an empty onclick on what it listens to: its props say more.
          const empty = own && own.find((one) => one.event === event && one.handler.kind === 'property');
          if (empty) empty.handler = handler;
          else if (element.localName === 'select' && event === 'change') options(element, handler, 1);
          else note(element, event, event === 'click' ? 1 : 2, handler);
        }
        return;
      }
    };

    // A select is one candidate for each value that it does not have now.
    const options = (select, handler, tier) => {
      for (const option of Array.from(select.options).slice(0, limits.options)) {
        if (!option.selected && !option.disabled) note(select, 'change', tier, handler, undefined, option.value);
      }
    };

    const markedUp = (element) => {
      for (const attribute of element.attributes) {
        if (!attribute.name.startsWith('on')) continue;
        const event = attribute.name.slice(2);
        if (!KNOWN.has(event) || element.localName === 'body') continue;
        const text = fold(attribute.value, 500);
        if (element.localName === 'select' && event === 'change') {
          for (const option of Array.from(element.options).slice(0, limits.options)) {
            if (!option.selected && !option.disabled) {
              note(element, event, 1, { kind: 'inline', text }, text, option.value);
            }
          }
        } else {
          note(element, event, event === 'click' ? 1 : 2, { kind: 'inline', text }, text);
        }
      }
    };

    const properties = (element, keys) => {
      if (isReactRoot(keys)) return;
      const names = CONTROLS.has(element.localName) ? CONTROL_PROPERTIES : PROPERTIES;
      for (const event of names) {
        const handler = element[`on${event}`];
        if (typeof handler === 'function' && !element.hasAttribute(`on${event}`) && element.localName !== 'body') {
          note(element, event, event === 'click' ? 1 : 2, { kind: 'property', at: `~${digest(handler)}` });
        }
      }
    };

    const implied = (element) => {
      const name = element.localName;
      const implicit = { kind: 'implicit' };
      if (name === 'a' || name === 'area') {
        const href = element.getAttribute('href');
        if (href !== null && /^\s*javascript:/i.test(href)) {
          const text = fold(href.replace(/^\s*javascript:/i, ''), 500);
          if (text && !/^(void\s*\(?0\)?;?|;|undefined;?)$/.test(text)) note(element, 'click', 1, { kind: 'inline', text }, text);
          else note(element, 'click', 3, implicit);
        } else if (href !== null && (href.trim() === '#' || href.trim() === '')) {
          note(element, 'click', 3, implicit);
        }
      } else if (name === 'button') {
        // A submit button of a form is the form's business.
        if (element.type !== 'submit' || !element.form) note(element, 'click', 2, implicit);
      } else if (name === 'input') {
        if (element.type === 'button' || element.type === 'image' && !element.form) note(element, 'click', 2, implicit);
      } else if (name === 'summary') {
        note(element, 'click', 2, implicit);
      } else if (name === 'select' && !found.has(element)) {
        if (!element.form) options(element, implicit, 3);
      }
      const role = element.getAttribute('role');
      if (role && ROLES.has(role.trim().toLowerCase())) note(element, 'click', 3, { kind: 'implicit' });
    };

    const visit = (root, prefix, level) => {
      const counts = Object.create(null);
      for (let element = root.firstElementChild; element; element = element.nextElementSibling) {
        if (elements.length >= limits.elements || level > limits.depth) {
          truncated = true;
          return;
        }
        const name = element.localName;
        const index = (counts[name] = (counts[name] || 0) + 1);
        const path = `${prefix}/${stepName(name, index)}`;
        elements.push({ element, path });
        const shadow = hooks.shadowOf(element);
        if (shadow) {
          listened(shadow, shadow, marks(shadow));
          visit(shadow, `${path}/shadow-root()`, level + 2);
        }
        if (name === 'iframe' || name === 'frame') {
          try {
            const inner = element.contentDocument;
            const innerHooks = inner && inner.defaultView && hooks.ofWindow(inner.defaultView);
            if (innerHooks && level < 400) {
              frames.push({ hooks: innerHooks, path: `${path}/document()` });
            }
          } catch {
            // Another origin: asked by itself.
          }
        }
        visit(element, path, level + 1);
      }
    };

    const frames = [];
    visit(document, '', 0);
    // Once all places are known, since a delegating root names elements anywhere below it.
    listened(window, document, NONE);
    listened(document, document, marks(document));
    for (const { element } of elements) {
      const keys = marks(element);
      markedUp(element);
      listened(element, element, keys);
      properties(element, keys);
      reacted(element, keys);
      implied(element);
    }
    if (document.body && document.documentElement.scrollHeight > window.innerHeight + 4) {
      note(document.documentElement, 'scroll', 3, { kind: 'implicit' });
    }
    if (limits.pointer) {
      const hands = new Set();
      for (const { element } of elements) {
        if (getComputedStyle(element).cursor !== 'pointer') continue;
        hands.add(element);
        // Inherited from a parent that has it too, it says nothing new.
        if (found.has(element) || hands.has(element.parentElement) || element.closest('a[href]')) continue;
        if (element !== document.documentElement && element !== document.body) note(element, 'click', 4, { kind: 'pointer' });
      }
    }

    const list = [];
    for (const { element, path } of elements) {
      for (const one of found.get(element) || []) {
        if (list.length >= limits.candidates) {
          truncated = true;
          break;
        }
        const data = {};
        let count = 0;
        for (const attribute of element.attributes) {
          if (attribute.name.startsWith('data-') && count++ < 16) data[attribute.name.slice(5, 65)] = fold(attribute.value, 200).toWellFormed();
        }
        const href = element.getAttribute('href');
        list.push({
          path, event: one.event, tag: element.localName, id: element.id ? String(element.id).slice(0, 200).toWellFormed() : undefined,
          text: ownText(element), data, handler: one.handler, instruction: one.instruction && one.instruction.toWellFormed(),
          href: href === null ? undefined : href.slice(0, 2000).toWellFormed(), value: one.value === undefined ? undefined : String(one.value).slice(0, 500).toWellFormed(),
          tier: one.tier,
          visible: element.checkVisibility ? element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) : true,
        });
      }
    }
    for (const frame of frames) {
      if (list.length >= limits.candidates || limits.frames <= 0) {
        truncated = true;
        break;
      }
      const inner = frame.hooks.candidates({ ...limits, frames: limits.frames - 1, candidates: limits.candidates - list.length });
      truncated = truncated || inner.truncated;
      for (const one of inner.list) list.push({ ...one, path: frame.path + one.path });
    }
    return { list, truncated };
  };
})
