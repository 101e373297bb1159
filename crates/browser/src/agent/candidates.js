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
  const REACT = {
    onDoubleClick: 'dblclick', onMouseEnter: 'mouseover', onMouseLeave: '', onFocus: 'focus',
    onChange: 'change',
  };
  const CONTROLS = 'input,select,textarea,[contenteditable]';
  const ROLES = new Set([
    'button', 'link', 'tab', 'menuitem', 'menuitemradio', 'menuitemcheckbox', 'option', 'treeitem',
    'switch', 'checkbox', 'radio', 'combobox',
  ]);
  const hasOwn = (object, key) => Object.prototype.hasOwnProperty.call(object, key);

  const digest = (text) => {
    let hash = 0x811c9dc5;
    for (let i = 0; i < text.length && i < 2000; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    return (hash >>> 0).toString(16).padStart(8, '0');
  };

  // What a function's text tells: two loads of a page give the same text of a function, and
  // different functions different ones. The selectors are those in `closest('…')` and `matches('…')`
  // of a handler that serves its descendants.
  // A handler that asks for the event's target without naming it serves whatever lies below.
  const SILENT = { text: '', hash: '', selectors: [], aims: false, trust: false };
  const read = new WeakMap();
  const about = (handler) => {
    if (!handler) return SILENT;
    let told = read.get(handler);
    if (told) return told;
    try {
      const text = hooks.source(handler);
      const selectors = new Set();
      for (const match of text.slice(0, 4000).matchAll(/\.(?:closest|matches)\(\s*(['"`])((?:(?!\1)[^\\\n])+)\1/g)) selectors.add(match[2]);
      told = { text, hash: digest(text), selectors: [...selectors].slice(0, 16), aims: /\b(?:target|srcElement|composedPath)\b/.test(text), trust: /\bisTrusted\b/.test(text) };
    } catch {
      told = SILENT;
    }
    read.set(handler, told);
    return told;
  };

  // Vue keeps the component's function in `value` of a wrapper that is the same everywhere.
  const real = (listener) => {
    if (typeof listener === 'function') return typeof listener.value === 'function' ? listener.value : listener;
    return listener && typeof listener.handleEvent === 'function' ? listener.handleEvent : null;
  };

  // Which handler acts, without what it acts on: the same at every load, and on every page that is
  // built from the same scripts. The text of a bound function says nothing: its name must do, and
  // its place, where that is in a script of its own.
  const NATIVE = /\{\s*\[native code\]\s*\}$/;
  const classOf = (handler, site) => {
    const { text, hash } = about(handler);
    if (text && !NATIVE.test(text)) return `~${hash}`;
    const own = site && !site.startsWith(`${location.href.replace(/[?#].*$/, '').slice(-120)}#`) ? site : '';
    return `~${fold(handler && handler.name || '', 80)}@${own}`;
  };
  const withoutLiterals = (code) => code
    .replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g, '#')
    .replace(/(?<![\w$#.])\d[\w.]*/g, '#');
  // The function of the page that an instruction calls, `go` or `site.pager.go`. Nothing is run to find
  // it: what a getter would give is not asked for.
  const called = (instruction) => {
    const call = /^\s*(?:return\s+)?([A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*){0,4})\s*\(/.exec(instruction);
    if (!call) return null;
    let value = window;
    try {
      for (const name of call[1].split('.')) {
        let holder = Object(value);
        for (let up = 0; holder && up < 8 && !hasOwn(holder, name); up++) holder = Object.getPrototypeOf(holder);
        const property = holder && Object.getOwnPropertyDescriptor(holder, name);
        value = property ? property.value : undefined;
      }
    } catch {
      return null;
    }
    return typeof value === 'function' ? value : null;
  };
  // An instruction by its name, and by what the function does that has this name on this page: another
  // page may have another. What the function is given to work on differs, and does not count.
  const shapeOf = (instruction) => {
    const { text } = about(called(instruction));
    const body = text && !NATIVE.test(text) ? ` {${digest(withoutLiterals(text.slice(0, 4000)))}}` : '';
    return fold(withoutLiterals(instruction), 200) + body;
  };
  // The function may ask whether the event is trusted.
  const callsForTrust = (instruction) =>
    /\bisTrusted\b/.test(instruction) || about(called(instruction)).trust;

  const inline = (text) => ({
    handler: { kind: 'inline', text }, instruction: text, class: shapeOf(text), trust: callsForTrust(text),
  });
  const acting = (kind, prefix, handler, site) => ({
    handler: { kind, at: `${prefix}~${about(handler).hash}` },
    class: prefix === site ? classOf(handler, site) : `${prefix}${classOf(handler, site)}`,
    trust: about(handler).trust,
  });
  const implicit = (element) => {
    const role = attributeOf(element, 'role');
    return { handler: { kind: 'implicit' }, class: `implicit ${element.localName}${role ? `[${fold(role, 30)}]` : ''}`, trust: false };
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

  // The elements that a style sheet of the page may give the hand: asking each element for its style
  // costs more. Unknown (`null`) if a sheet cannot be read, being of another site, or is nested.
  let sheets = '';
  let selectors = [];
  const pointing = () => {
    try {
      const all = [...document.styleSheets, ...document.adoptedStyleSheets];
      const state = all.map((sheet) => sheet.cssRules.length).join();
      if (state === sheets) return selectors;
      const found = [];
      let left = 20000;
      const collect = (rules) => {
        for (const rule of rules) {
          if (left-- <= 0) throw new RangeError('rules');
          if (rule.styleSheet) collect(rule.styleSheet.cssRules);
          if (rule.selectorText !== undefined) {
            if (rule.cssRules && rule.cssRules.length) throw new RangeError('nested rules');
            if (rule.style.cursor === 'pointer') found.push(rule.selectorText);
          } else if (rule.cssRules) {
            collect(rule.cssRules);
          }
        }
      };
      for (const sheet of all) collect(sheet.cssRules);
      [sheets, selectors] = [state, found];
    } catch {
      selectors = null;
      sheets = '';
    }
    return selectors;
  };
  const hands = () => {
    const found = pointing();
    return found && new Set(['[style*="cursor"]', ...found].flatMap((selector) => [...all(document, selector)]));
  };

  const AIMED = new Set(['click', 'dblclick', 'mousedown', 'mouseup', 'pointerdown', 'pointerup']);
  const ITEMS = new Set(['li', 'td', 'th', 'dt', 'dd', 'button', 'summary']);
  const TEXTS = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'script', 'style', 'option', 'title']);

  /// Candidates of this document and of the shadow roots and frames that it can see.
  hooks.candidates = (limits) => {
    const found = new Map();
    const elements = [];
    let truncated = false;

    const note = (element, event, tier, act, value) => {
      if (!(element instanceof Object) || element.nodeType !== 1) return;
      if (value === undefined && (event === 'change' || event === 'input')) {
        // Whoever listens to a control wants to know the choice: each one is an event of its own.
        const values = choices(element);
        if (values) {
          for (const choice of values) note(element, 'change', tier, act, choice);
          return;
        }
      }
      if (event === 'scroll' && !overflows(element)) return;
      if ((event === 'change' || event === 'input') && !holdsControl(element)) return;
      const own = found.get(element) || [];
      const known = own.find((one) => one.event === event && one.value === value);
      if (!known) own.push({ event, tier, act, value });
      else if (tier < known.tier) Object.assign(known, { tier, act });
      found.set(element, own);
    };

    // What a control does not have now and could have: the other options of a select, the ends of a
    // range, nothing for a radio button that is chosen. Not known for what takes any text.
    const choices = (element) => {
      if (element.localName === 'select') {
        const others = Array.from(element.options).slice(0, limits.options).filter((option) => !option.selected && !option.disabled);
        return others.map((option) => option.value);
      }
      if (element.localName !== 'input') return null;
      if (element.type === 'radio') return element.checked ? [] : null;
      if (element.type !== 'range') return null;
      return [element.min || '0', element.max || '100'].filter((end) => end !== element.value);
    };

    // Only what a visitor can change tells of a change: a control, whether it is listened to itself or
    // below the element. What an element of the page's own making tells, nobody knows.
    const holdsControl = (element) => {
      const isOwn = (one) => one.localName.includes('-') || Boolean(hooks.shadowOf(one));
      if (element.matches(CONTROLS) || isOwn(element) || all(element, CONTROLS).length > 0) return true;
      return Array.from(all(element, '*')).slice(0, 50).some(isOwn);
    };

    // Asked only where somebody listens to it: it needs a layout.
    const overflows = (element) => {
      const whole = element === document.documentElement;
      const box = whole ? document.scrollingElement || element : element;
      return box.scrollHeight > (whole ? window.innerHeight : box.clientHeight) + 4;
    };

    const delegated = (root, type, selector, act) => {
      if (!KNOWN.has(type)) return;
      const short = fold(selector, 200);
      const served = { ...act, handler: { kind: 'delegated', selector: short, at: act.handler.at }, class: `${short} ${act.class}` };
      for (const element of all(root, selector)) {
        // One handler for several events is often told by the element which of them it is for.
        const named = eventsNamed(element);
        note(element, type, 1, named ? { ...served, class: `${served.class} for ${named}` } : served);
      }
    };

    // The events that an element's data name: `data-on="click"`, `data-action="click->list#open"`.
    const eventsNamed = (element) => {
      const named = new Set();
      for (const name of namesOf(element)) {
        if (!name.startsWith('data-')) continue;
        const event = /^([a-z]+)(?:$|->|:)/.exec(valueOf(element, name).trim().slice(0, 80));
        if (event && KNOWN.has(event[1])) named.add(event[1]);
      }
      return [...named].sort().join(' ');
    };

    // What a handler above may mean that asks for the target by itself: what carries data, items of
    // lists and tables, and what looks like a control. Of a listener on the whole document, only the
    // first two: many a document counts its clicks.
    const below = (root, type, act, wide) => {
      if (!AIMED.has(type)) return;
      const meant = { ...act, handler: { kind: 'delegated', selector: '', at: act.handler.at } };
      let left = 200;
      for (const element of all(root, wide ? 'li,td,dt,dd,button,a:not([href]),[role]' : '*')) {
        if (left <= 0) return;
        const name = element.localName;
        const isItem = ITEMS.has(name) || (name === 'a' && attributeOf(element, 'href') === null);
        const isLeaf = !wide && !element.firstElementChild && element.textContent.trim() !== '' && !TEXTS.has(name);
        if (!isItem && !isLeaf && !carriesData(element)) continue;
        left--;
        note(element, type, 3, meant);
      }
      if (!wide) return;
      for (const element of all(root, '*')) {
        if (left <= 0) return;
        if (!carriesData(element)) continue;
        left--;
        note(element, type, 3, meant);
      }
    };

    const carriesData = (element) => namesOf(element).some((name) => name.startsWith('data-'));

    const listened = (target, scope, keys) => {
      const jquery = jqueryData(target, keys);
      const entries = isReactRoot(keys) ? NONE : hooks.listeners(target);
      for (const entry of entries) {
        if (!KNOWN.has(entry.type) || jquery && entry.listener === jquery.handle) continue;
        const handler = real(entry.listener);
        const act = acting('listener', entry.site, handler, entry.site);
        const { selectors, aims } = about(handler);
        for (const selector of selectors) delegated(scope, entry.type, selector, act);
        const page = target.ownerDocument || document;
        // The document or the body as such is no place to click on; it can be scrolled.
        const wide = target.nodeType !== 1 || target === page.body || target === page.documentElement;
        if (aims && selectors.length === 0) below(scope, entry.type, act, wide);
        if (wide && target.nodeType !== 11 && entry.type === 'scroll') note(page.documentElement, 'scroll', 2, act);
        else if (!wide && selectors.length === 0) note(target, entry.type, entry.type === 'click' ? 1 : 2, act);
      }
      if (!jquery) return;
      const events = jquery.events;
      for (const type of Object.keys(events).slice(0, 64)) {
        for (const entry of Array.from(events[type] || []).slice(0, 256)) {
          if (!entry || typeof entry.handler !== 'function') continue;
          const event = KNOWN.has(entry.origType) ? entry.origType : type;
          const act = acting('listener', 'jquery', entry.handler, '');
          if (typeof entry.selector === 'string' && entry.selector) delegated(scope, event, entry.selector, act);
          else if (target.nodeType === 1 && KNOWN.has(event)) note(target, event, event === 'click' ? 1 : 2, act);
          else if (event === 'scroll') note(document.documentElement, 'scroll', 2, act);
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
          const act = acting('framework', 'react', props[prop], '');
          // React puts an empty onclick on what it listens to: its props say more.
          const empty = (found.get(element) || []).find((one) => one.event === event && one.act.handler.kind === 'property');
          if (empty) empty.act = act;
          else note(element, event, event === 'click' || event === 'change' ? 1 : 2, act);
        }
        return;
      }
    };

    const markedUp = (element) => {
      for (const name of namesOf(element)) {
        const event = name.startsWith('on') ? name.slice(2) : '';
        if (!KNOWN.has(event)) continue;
        const act = inline(fold(valueOf(element, name), 500));
        if (element.localName === 'body') {
          if (event === 'scroll') note(document.documentElement, event, 2, act);
          continue;
        }
        const chosen = event === 'change' && element.localName === 'select';
        note(element, event, event === 'click' || chosen ? 1 : 2, act);
      }
    };

    // What a property's handler serves below its element.
    const served = (root, type, handler, wide) => {
      const act = acting('property', '', handler, '');
      const { selectors, aims } = about(handler);
      for (const selector of selectors) delegated(root, type, selector, act);
      if (aims && selectors.length === 0) below(root, type, act, wide);
    };

    const properties = (element, keys) => {
      const own = hooks.assigned(element);
      if (!own || isReactRoot(keys)) return;
      const wide = element.localName === 'body' || element.localName === 'html';
      for (const [event, handler] of own) {
        if (!KNOWN.has(event)) continue;
        served(element, event, handler, wide);
        if (!wide) note(element, event, event === 'click' ? 1 : 2, acting('property', '', handler, ''));
      }
    };

    const implied = (element) => {
      const name = element.localName;
      if (name === 'a' || name === 'area') {
        const href = attributeOf(element, 'href');
        if (href !== null && /^\s*javascript:/i.test(href)) {
          const text = fold(href.replace(/^\s*javascript:/i, ''), 500);
          if (text && !/^(void\s*\(?0\)?;?|;|undefined;?)$/.test(text)) note(element, 'click', 1, inline(text));
          else note(element, 'click', 3, implicit(element));
        } else if (href !== null && (href.trim() === '#' || href.trim() === '')) {
          note(element, 'click', 3, implicit(element));
        }
      } else if (name === 'button') {
        // A submit button of a form is the form's business.
        if (element.type !== 'submit' || !element.form) note(element, 'click', 2, implicit(element));
      } else if (name === 'input') {
        if (element.type === 'button' || element.type === 'image' && !element.form) note(element, 'click', 2, implicit(element));
      } else if (name === 'summary') {
        note(element, 'click', 2, implicit(element));
      } else if (name === 'select' && !found.has(element)) {
        if (!element.form) note(element, 'change', 3, implicit(element));
      } else if (name === 'label') {
        // Tabs and menus without scripts: a label that switches a box of no form.
        const control = element.control;
        const box = control && !control.form && (control.type === 'checkbox' || control.type === 'radio' && !control.checked);
        if (box && !found.has(control)) note(element, 'click', 3, implicit(element));
      }
      const role = attributeOf(element, 'role');
      const acts = role && ROLES.has(role.trim().toLowerCase()) || (attributeOf(element, 'aria-expanded') !== null) || (attributeOf(element, 'aria-haspopup') !== null);
      if (acts && name !== 'a' && name !== 'body') note(element, 'click', 3, implicit(element));
      else if (acts && name === 'a' && !(attributeOf(element, 'href') !== null)) note(element, 'click', 3, implicit(element));
    };

    // Whoever watches what comes into view is waiting for a scroll.
    const watched = () => {
      for (const [observer, { name, callback }] of hooks.observers()) {
        if (name !== 'IntersectionObserver') continue;
        const root = observer.root && observer.root.nodeType === 1 ? observer.root : document.documentElement;
        note(root, 'scroll', 2, acting('listener', name, callback, ''));
      }
      for (const handler of [window.onscroll, document.onscroll]) {
        if (typeof handler === 'function') note(document.documentElement, 'scroll', 2, acting('property', '', handler, ''));
      }
    };

    const visit = (root, prefix, level, shadowed) => {
      const counts = Object.create(null);
      for (let element = root.firstElementChild; element; element = element.nextElementSibling) {
        if (elements.length >= limits.elements || level > limits.depth) {
          truncated = true;
          return;
        }
        const name = element.localName;
        const index = (counts[name] = (counts[name] || 0) + 1);
        const path = `${prefix}/${stepName(name, index)}`;
        elements.push({ element, path, shadowed: shadowed });
        const shadow = hooks.shadowOf(element);
        if (shadow) {
          listened(shadow, shadow, marks(shadow));
          visit(shadow, `${path}/shadow-root()`, level + 2, true);
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
        visit(element, path, level + 1, shadowed);
      }
    };

    const frames = [];
    visit(document, '', 0, false);
    // Once all places are known, since a delegating root names elements anywhere below it.
    listened(window, document, NONE);
    listened(document, document, marks(document));
    for (const target of [window, document]) {
      for (const type of AIMED) {
        const handler = target[`on${type}`];
        if (typeof handler === 'function') served(document, type, handler, true);
      }
    }
    for (const { element } of elements) {
      const keys = marks(element);
      markedUp(element);
      listened(element, element, keys);
      properties(element, keys);
      reacted(element, keys);
      implied(element);
    }
    watched();
    if (limits.pointer) {
      const suspects = hands();
      const pointed = new Set();
      for (const { element, shadowed } of elements) {
        if (suspects && !shadowed && !suspects.has(element) || getComputedStyle(element).cursor !== 'pointer') continue;
        pointed.add(element);
        // Inherited from a parent that has it too, it says nothing new.
        if (found.has(element) || pointed.has(element.parentElement) || element.closest('a[href]')) continue;
        const pointer = { handler: { kind: 'pointer' }, class: `pointer ${element.localName}`, trust: false };
        if (element !== document.documentElement && element !== document.body) note(element, 'click', 4, pointer);
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
        for (const name of namesOf(element)) {
          if (name.startsWith('data-') && count++ < 16) data[name.slice(5, 65)] = fold(valueOf(element, name), 200).toWellFormed();
        }
        const href = attributeOf(element, 'href');
        list.push({
          path, event: one.event, tag: element.localName, id: element.id ? String(element.id).slice(0, 200).toWellFormed() : undefined,
          text: ownText(element), data, handler: one.act.handler, instruction: one.act.instruction && one.act.instruction.toWellFormed(),
          class: one.act.class.toWellFormed(), trust: one.act.trust,
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
