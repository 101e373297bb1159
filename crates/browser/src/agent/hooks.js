// Runs in the page's own world, in every frame, before any script of the page.
//
// What it keeps are hints for the crawler: which timers wait, who listens to what, where closed
// shadow roots are. A page can lie to it; nothing that must be true depends on it. Nothing is ever
// written into the document: an attribute would change the page that is to be compared.
//
// KEY is a random name, new for every tab, so that no page can look for it by name. SOCKETS says
// whether events may open sockets.
((KEY, SOCKETS) => {
  'use strict';
  if (Object.prototype.hasOwnProperty.call(window, KEY)) return;

  const apply = Reflect.apply;
  const now = performance.now.bind(performance);
  const tell = Function.prototype.toString;

  // ---- Timers -------------------------------------------------------------------------------
  // A timer knows when it is due and how many timers deep it was born: a chain of thirty steps is
  // an animation to wait for, a chain without end is a clock to leave alone.
  const pending = new Map();
  const TICKER = 60;
  let depth = 0;
  let births = 0;
  let epoch = 0;

  const native = {
    setTimeout: window.setTimeout,
    clearTimeout: window.clearTimeout,
    setInterval: window.setInterval,
    clearInterval: window.clearInterval,
  };

  const callable = (handler) =>
    typeof handler === 'function' ? handler : () => (0, eval)(String(handler));

  const start = (setter, handler, delay, args, repeats) => {
    const wait = Math.max(0, Number(delay) || 0);
    const level = depth + 1;
    const run = callable(handler);
    let id = 0;
    const step = function () {
      const timer = pending.get(id);
      if (!repeats) pending.delete(id);
      else if (timer) Object.assign(timer, { due: now() + wait, ran: epoch });
      const outer = depth;
      depth = repeats ? TICKER : level;
      try {
        return apply(run, this, args);
      } finally {
        depth = outer;
      }
    };
    id = apply(setter, window, [step, wait]);
    pending.set(id, { due: now() + wait, wait, born: ++births, level, repeats, ran: -1 });
    return id;
  };

  window.setTimeout = function setTimeout(handler, delay, ...args) {
    return start(native.setTimeout, handler, delay, args, false);
  };
  window.setInterval = function setInterval(handler, delay, ...args) {
    return start(native.setInterval, handler, delay, args, true);
  };
  const clear = (id) => {
    pending.delete(id);
    native.clearTimeout.call(window, id);
  };
  window.clearTimeout = function clearTimeout(id) { clear(id); };
  window.clearInterval = function clearInterval(id) { clear(id); };

  // Frames do not follow virtual time; as timers they do.
  const FRAME = 16;
  window.requestAnimationFrame = function requestAnimationFrame(callback) {
    if (typeof callback !== 'function') throw new TypeError('callback is not a function');
    return start(native.setTimeout, () => callback(now()), FRAME, [], false);
  };
  window.cancelAnimationFrame = function cancelAnimationFrame(id) { clear(id); };
  if (window.requestIdleCallback) {
    window.requestIdleCallback = function requestIdleCallback(callback) {
      const idle = () => callback({ didTimeout: false, timeRemaining: () => 40 });
      return start(native.setTimeout, idle, 1, [], false);
    };
    window.cancelIdleCallback = function cancelIdleCallback(id) { clear(id); };
  }

  // ---- What needs a drawn frame -------------------------------------------------------------
  // Observers with their targets, as long as they have any.
  const observers = new Map();
  const WATCHED = 10000;
  for (const name of ['IntersectionObserver', 'ResizeObserver']) {
    const Observer = window[name];
    if (!Observer) continue;
    const callbacks = new WeakMap();
    window[name] = new Proxy(Observer, {
      construct(target, args, made) {
        const observer = Reflect.construct(target, args, made);
        callbacks.set(observer, args[0]);
        return observer;
      },
    });
    const wrap = (method, note) => {
      const original = Observer.prototype[method];
      Observer.prototype[method] = function (...args) {
        const result = apply(original, this, args);
        note(this, args[0]);
        return result;
      };
    };
    wrap('observe', (observer, target) => {
      const own = observers.get(observer) || { name, callback: callbacks.get(observer), targets: new Set() };
      if (own.targets.size < WATCHED && observers.size < WATCHED) own.targets.add(target);
      observers.set(observer, own);
    });
    wrap('unobserve', (observer, target) => {
      const own = observers.get(observer);
      if (own && own.targets.delete(target) && own.targets.size === 0) observers.delete(observer);
    });
    wrap('disconnect', (observer) => observers.delete(observer));
  }

  // Animations are ended only where somebody waits for their end.
  let animated = false;
  const ANIMATION = /^(?:webkit|moz|o)?(?:transition|animation)/i;
  for (const [owner, name] of [[Element.prototype, 'animate'], [Element.prototype, 'getAnimations'], [Document.prototype, 'getAnimations']]) {
    const original = owner[name];
    if (typeof original !== 'function') continue;
    owner[name] = function (...args) {
      animated = true;
      return apply(original, this, args);
    };
  }

  // ---- Canvases -----------------------------------------------------------------------------
  // How often anything was painted: a canvas is read again only when that has grown. Only a page that
  // asks for a context pays for the hooks on it.
  let paints = 0;
  const PAINTING = [
    'fillRect', 'strokeRect', 'clearRect', 'fill', 'stroke', 'fillText', 'strokeText', 'drawImage', 'putImageData', 'reset',
    'clear', 'drawArrays', 'drawElements', 'drawArraysInstanced', 'drawElementsInstanced', 'blitFramebuffer', 'transferFromImageBitmap',
  ];
  const contexts = new WeakSet();
  const getContext = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (...args) {
    const context = apply(getContext, this, args);
    const prototype = context && Object.getPrototypeOf(context);
    if (!prototype || contexts.has(prototype)) return context;
    contexts.add(prototype);
    for (const method of PAINTING) {
      const original = prototype[method];
      if (typeof original !== 'function') continue;
      prototype[method] = function (...painted) {
        paints++;
        return apply(original, this, painted);
      };
    }
    return context;
  };

  // ---- What other processes and threads answer ----------------------------------------------
  // Virtual time waits for the network and for timers. It does not wait for storage, permissions,
  // cryptography, compilation or workers: while such a thing is under way, the crawler gives the
  // page some real time.
  let busy = 0;
  let given = 0;
  const settleOne = () => { if (busy > 0) busy--; };
  const track = (owner, names) => {
    for (const name of names) {
      const original = owner && owner[name];
      if (typeof original !== 'function') continue;
      try {
        owner[name] = function (...args) {
          const result = apply(original, this, args);
          if (result instanceof Promise) {
            busy++;
            result.then(settleOne, settleOne);
          } else if (window.IDBRequest && result instanceof IDBRequest) {
            busy++;
            for (const type of ['success', 'error', 'blocked']) result.addEventListener(type, settleOne, { once: true });
          }
          return result;
        };
      } catch {
        // A page of an odd kind; it is then given no extra time.
      }
    }
  };
  const kind = (name) => window[name] && window[name].prototype;
  // The network is waited for, but what reads an answer goes on a moment after it has arrived.
  track(window, ['fetch']);
  track(kind('Response'), ['text', 'json', 'arrayBuffer', 'blob', 'bytes', 'formData']);
  const send = XMLHttpRequest.prototype.send;
  XMLHttpRequest.prototype.send = function (...args) {
    busy++;
    apply(EventTarget.prototype.addEventListener, this, ['loadend', settleOne, { once: true }]);
    try {
      return apply(send, this, args);
    } catch (error) {
      settleOne();
      throw error;
    }
  };
  track(kind('Permissions'), ['query']);
  track(window.Notification, ['requestPermission']);
  track(kind('CacheStorage'), ['open', 'match', 'has', 'keys', 'delete']);
  track(kind('Cache'), ['match', 'matchAll', 'put', 'add', 'addAll', 'keys', 'delete']);
  track(kind('StorageManager'), ['estimate', 'persist', 'persisted', 'getDirectory']);
  track(kind('CookieStore'), ['get', 'getAll', 'set', 'delete']);
  track(kind('ServiceWorkerContainer'), ['register', 'getRegistration', 'getRegistrations']);
  track(kind('SubtleCrypto'), ['digest', 'encrypt', 'decrypt', 'sign', 'verify', 'importKey', 'generateKey', 'deriveKey', 'deriveBits']);
  track(kind('Blob'), ['text', 'arrayBuffer']);
  track(kind('IDBFactory'), ['open', 'deleteDatabase']);
  track(kind('IDBObjectStore'), ['get', 'getAll', 'getAllKeys', 'put', 'add', 'count', 'openCursor']);
  track(kind('IDBIndex'), ['get', 'getAll', 'count', 'openCursor']);
  track(window.WebAssembly, ['compile', 'instantiate', 'compileStreaming', 'instantiateStreaming']);
  track(window, ['createImageBitmap']);
  // Questions to workers that have no answer yet; of these, how many were asked before the last mark,
  // and how many such have been answered since.
  let asked = 0;
  let overdue = 0;
  let late = 0;
  if (window.Worker) {
    const post = Worker.prototype.postMessage;
    const heard = new WeakSet();
    const answered = () => {
      settleOne();
      if (asked > 0) asked--;
      if (overdue > 0) {
        overdue--;
        late++;
      }
    };
    Worker.prototype.postMessage = function (...args) {
      busy++;
      asked++;
      if (!heard.has(this)) {
        heard.add(this);
        apply(EventTarget.prototype.addEventListener, this, ['message', answered]);
        apply(EventTarget.prototype.addEventListener, this, ['error', answered]);
      }
      return apply(post, this, args);
    };
  }

  // ---- Shadow roots -------------------------------------------------------------------------
  // A closed root is made open, so that the walk (in its own world, with its own prototypes) sees
  // it, and the page's world is told that there is none, as it asked.
  const closed = new WeakMap();
  let roots = 0;
  const attachShadow = Element.prototype.attachShadow;
  const shadowRoot = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot');
  Element.prototype.attachShadow = function (options, ...rest) {
    // No observer hears of a root that an element gets later.
    roots++;
    if (!options || options.mode !== 'closed') return apply(attachShadow, this, [options, ...rest]);
    const root = apply(attachShadow, this, [{ ...options, mode: 'open' }, ...rest]);
    closed.set(this, root);
    return root;
  };
  if (shadowRoot && shadowRoot.get) {
    Object.defineProperty(Element.prototype, 'shadowRoot', {
      ...shadowRoot,
      get() {
        return closed.has(this) ? null : apply(shadowRoot.get, this, []);
      },
    });
    const mode = Object.getOwnPropertyDescriptor(ShadowRoot.prototype, 'mode');
    Object.defineProperty(ShadowRoot.prototype, 'mode', {
      ...mode,
      get() {
        return closed.get(this.host) === this ? 'closed' : apply(mode.get, this, []);
      },
    });
  }
  const shadowOf = (element) =>
    closed.get(element) || (shadowRoot && apply(shadowRoot.get, element, []));

  // ---- Listeners ----------------------------------------------------------------------------
  const listeners = new WeakMap();
  const add = EventTarget.prototype.addEventListener;
  const remove = EventTarget.prototype.removeEventListener;

  // Where a listener was registered: the first line of the stack that is not this script. Stable
  // over loads of the page, which the identity of a function is not.
  const callSite = () => {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 4;
    const stack = String(new Error().stack);
    Error.stackTraceLimit = limit;
    const lines = stack.split('\n');
    for (let i = 3; i < lines.length; i++) {
      const place = /((?:https?|file|data|blob):[^\s()]*|<anonymous>):(\d+):(\d+)\)?$/.exec(lines[i]);
      if (place) return `${place[1].replace(/[?#].*$/, '').slice(-120)}#${place[2]}:${place[3]}`;
    }
    return '';
  };

  EventTarget.prototype.addEventListener = function (type, listener, ...rest) {
    // Called without an object, as scripts may, it means the window.
    const target = this === undefined || this === null ? window : this;
    if (listener && (target instanceof Node || target === window)) {
      try {
        if (ANIMATION.test(String(type))) animated = true;
        const own = listeners.get(target) || [];
        if (own.length < 64) {
          own.push({ type: String(type), listener, site: callSite() });
          listeners.set(target, own);
        }
      } catch {
        // A hint lost.
      }
    }
    const added = apply(add, this, [type, listener, ...rest]);
    if (target === navigation) standLast();
    return added;
  };
  EventTarget.prototype.removeEventListener = function (type, listener, ...rest) {
    const own = listeners.get(this === undefined || this === null ? window : this);
    if (own) {
      const at = own.findIndex((entry) => entry.type === String(type) && entry.listener === listener);
      if (at >= 0) own.splice(at, 1);
    }
    return apply(remove, this, [type, listener, ...rest]);
  };

  // Handlers that scripts assign (`element.onclick = …`). Asking every element for each of them would
  // cost more than all other questions.
  const assigned = new WeakMap();
  const ASSIGNED = [
    'click', 'dblclick', 'contextmenu', 'mousedown', 'mouseup', 'mouseover', 'mouseenter', 'pointerdown', 'pointerup',
    'touchstart', 'touchend', 'change', 'input', 'focus', 'keydown', 'keyup', 'toggle', 'scroll',
    'transitionend', 'animationend',
  ];
  for (const type of ASSIGNED) {
    const property = Object.getOwnPropertyDescriptor(HTMLElement.prototype, `on${type}`);
    if (!property || !property.set) continue;
    const set = function (handler) {
      if (ANIMATION.test(type)) animated = true;
      const own = assigned.get(this) || new Map();
      if (typeof handler === 'function') own.set(type, handler);
      else own.delete(type);
      assigned.set(this, own);
      apply(property.set, this, [handler]);
    };
    Object.defineProperty(HTMLElement.prototype, `on${type}`, { ...property, set });
  }

  // ---- Leaving the page ---------------------------------------------------------------------
  // Most ways out can be caught before they leave the renderer, ten times cheaper than at the
  // network, where the guard catches the rest. Ours is the last listener, so a router of the page
  // that takes the navigation over is heard first.
  let guarded = false;
  let acting = false;
  let caught = [];
  const CAUGHT = 1000;
  const navigation = window.parent === window ? window.navigation : undefined;
  const taken = new WeakSet();
  const guard = (event) => {
    const plain = event.cancelable && !event.defaultPrevented && !event.hashChange && !event.formData &&
      event.downloadRequest === null && !event.destination.sameDocument && event.navigationType !== 'traverse';
    if (!guarded || !plain || taken.has(event) || typeof navigation.onnavigate === 'function') return;
    const url = event.destination.url;
    if (!/^https?:/.test(url)) return;
    event.preventDefault();
    // One that is neither the event's nor an element's may be a refresh that the markup announces.
    if (caught.length < CAUGHT) caught.push({ url, own: acting || !!event.sourceElement });
  };
  if (navigation && window.NavigateEvent) {
    const intercept = NavigateEvent.prototype.intercept;
    NavigateEvent.prototype.intercept = function (...args) {
      taken.add(this);
      return apply(intercept, this, args);
    };
    apply(add, navigation, ['navigate', guard]);
  }
  const standLast = () => {
    apply(remove, navigation, ['navigate', guard]);
    apply(add, navigation, ['navigate', guard]);
  };

  // A socket cannot be held back at the network. One that an event opens goes to a port to which
  // Chromium connects nothing, and fails as a refused one does.
  const NOWHERE = 'wss://127.0.0.1:1/';
  let sockets = [];
  if (window.WebSocket && !SOCKETS) {
    window.WebSocket = new Proxy(WebSocket, {
      construct(target, args, made) {
        if (!guarded) return Reflect.construct(target, args, made);
        const url = new URL(args[0], document.baseURI).href.replace(/^http/, 'ws');
        if (sockets.length < CAUGHT) sockets.push(url);
        const socket = Reflect.construct(target, [NOWHERE], made);
        busy++;
        apply(add, socket, ['close', settleOne, { once: true }]);
        return socket;
      },
    });
  }

  // ---- What would only cost -----------------------------------------------------------------
  // Every line on the console is a message to us, and a page can write them without end.
  for (const name of Object.keys(console)) {
    if (typeof console[name] === 'function') console[name] = () => undefined;
  }
  window.print = function print() {};
  window.close = function close() {};

  // ---- Asked by the crawler -----------------------------------------------------------------
  let mark = 0;
  const remember = () => {
    mark = births;
    epoch++;
    // What has not been answered by now may never be.
    given = busy;
    overdue = asked;
    late = 0;
  };

  /// Virtual milliseconds until the last timer that is worth waiting for, and whether a drawn
  /// frame is needed. Worth waiting for: due within `most`, born since the last mark, not a clock.
  const waiting = (most) => {
    const time = now();
    let longest = 0;
    for (const timer of pending.values()) {
      const left = Math.max(0, timer.due - time);
      if (timer.level > TICKER) continue;
      // A clock gets one turn at most, and only a fast one, or one that the event has started.
      if (timer.repeats && (timer.ran === epoch || timer.wait > 500 && timer.born <= mark)) continue;
      if (!timer.repeats && timer.born <= mark) continue;
      if (left <= most) longest = Math.max(longest, left + 1);
    }
    given = Math.min(given, busy);
    const computing = asked - overdue;
    return { longest, observers: observers.size, busy: busy - given, computing, late, roots, paints, animated };
  };

  const over = (inner) => {
    const frames = [];
    const visit = (frame, level) => {
      for (let i = 0; i < frame.length && frames.length < 64 && level < 8; i++) {
        try {
          const hooks = frame[i][KEY];
          if (hooks) frames.push(hooks);
          visit(frame[i], level + 1);
        } catch {
          // A frame of another origin has hooks of its own and is asked by itself.
        }
      }
    };
    visit(window, 0);
    return frames.map(inner);
  };

  const hooks = {
    own: { waiting, mark: remember },
    /// The same over this frame and those that it can see.
    count: (most) => {
      const whole = waiting(most);
      for (const part of over((frame) => frame.own.waiting(most))) {
        whole.longest = Math.max(whole.longest, part.longest);
        whole.busy += part.busy;
        whole.computing += part.computing;
        whole.late += part.late;
        whole.observers += part.observers;
        whole.roots += part.roots;
        whole.paints += part.paints;
        whole.animated = whole.animated || part.animated;
      }
      return whole;
    },
    /// The same, with what wanted to leave the page since the last time.
    waiting: (most) => {
      const whole = { ...hooks.count(most), caught, sockets };
      caught = [];
      sockets = [];
      acting = false;
      return whole;
    },
    mark: () => {
      remember();
      over((frame) => frame.own.mark());
    },
    listeners: (target) => listeners.get(target) || [],
    shadowOf,
    ofWindow: (view) => view[KEY],
    source: (handler) => apply(tell, handler, []),
    assigned: (element) => assigned.get(element),
    observers: () => observers,
  };
  Object.defineProperty(window, KEY, { value: hooks, enumerable: false });

  // Our own world asks by an event of that name, and hears the answer at once.
  const CustomEvent = window.CustomEvent;
  const detail = Object.getOwnPropertyDescriptor(CustomEvent.prototype, 'detail').get;
  const fire = EventTarget.prototype.dispatchEvent;
  const reply = (event) => {
    const question = apply(detail, event, []) || {};
    const answer = question.most === undefined ? hooks.count(0) : hooks.waiting(question.most);
    if (question.mark) {
      hooks.mark();
      guarded = true;
      acting = true;
    }
    apply(fire, window, [new CustomEvent(`${KEY}r`, { detail: answer })]);
  };
  apply(add, window, [KEY, reply]);
})
