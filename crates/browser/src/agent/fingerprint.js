// Has the document changed? A number that is good for one document, never stored: what a state *is*
// is decided in Rust over the whole tree.
//
// The hash of every element is kept, and a change throws away those of the element and of what
// surrounds it. So an event that changes nothing costs nothing, and one that changes a line costs
// that line.
const SKIPPED = new Set(['script', 'style', 'noscript', 'template']);
const CONTROLS = new Set(['input', 'select', 'textarea']);

const fingerprinter = (shadowOf) => {
  let known = new WeakMap();
  // What can change without any mutation: values, documents of frames, pixels.
  const controls = new Map();
  const frames = new Map();
  const canvases = new Map();
  const watched = new WeakSet();
  let a = 0;
  let b = 0;
  let budget = 0;
  let roots = -1;
  let paints = -1;

  const stateOf = (control) => `${control.value}${control.checked ? '+' : '-'}`;
  const documentOf = (frame) => {
    try {
      return frame.contentDocument;
    } catch {
      // A frame of another origin has an agent of its own.
      return null;
    }
  };

  // What surrounds an unknown node is unknown already.
  const forget = (from) => {
    let node = from;
    while (node && known.delete(node)) {
      node = node.parentNode || node.host || (node.defaultView && node.defaultView.frameElement);
    }
  };
  const take = (records) => {
    if (records.length > 10000) {
      known = new WeakMap();
      return;
    }
    for (const { target, addedNodes } of records) {
      forget(target.nodeType === 3 || target.nodeType === 8 ? target.parentNode : target);
      for (const added of addedNodes) {
        // It may have changed while it was nowhere, where nobody watches.
        if (!known.delete(added)) continue;
        for (const inner of added.querySelectorAll('*')) known.delete(inner);
      }
    }
  };
  const observer = new MutationObserver(take);
  const watch = (root) => {
    if (watched.has(root)) return;
    watched.add(root);
    observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  };
  const recheck = (seen, now) => {
    for (const [element, then] of seen) {
      if (!element.isConnected) seen.delete(element);
      else if (now(element) !== then) forget(element);
    }
  };

  const mix = (text) => {
    const end = Math.min(text.length, 20000);
    for (let i = 0; i < end; i++) a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
    b = Math.imul(b ^ a ^ text.length, 0x85ebca6b);
    b ^= b >>> 13;
  };
  const mixHash = (hash) => {
    a = Math.imul(a ^ (hash >>> 0), 0x01000193);
    b = Math.imul(b ^ a ^ ((hash / 0x100000000) >>> 0), 0x85ebca6b);
    b ^= b >>> 13;
  };
  const describe = (element, level) => {
    const name = element.localName;
    mix(name);
    const names = namesOf(element);
    for (let i = 0; i < names.length; i++) {
      mix(names[i]);
      mix(valueOf(element, names[i]));
    }
    if (CONTROLS.has(name)) {
      const value = stateOf(element);
      controls.set(element, value);
      mix(value);
    } else if (name === 'canvas') {
      const pixels = pixelsOf(element);
      canvases.set(element, pixels);
      mix(pixels);
    } else if (name === 'iframe' || name === 'frame') {
      const inner = documentOf(element);
      frames.set(element, inner);
      if (inner) mixHash(hashOf(inner, level + 1));
    }
    const root = shadowOf(element);
    if (root) mixHash(hashOf(root, level + 1));
  };
  const hashOf = (node, level) => {
    const old = known.get(node);
    if (old !== undefined) return old;
    // Scripts can nest deeper than the stack is.
    if (level > 600 || budget-- <= 0) return 0;
    const outer = [a, b];
    a = 0x811c9dc5;
    b = 0x1b873593;
    if (node.nodeType === 1) describe(node, level);
    else watch(node);
    for (let child = node.firstChild; child; child = child.nextSibling) {
      if (child.nodeType === 3) mix(child.data);
      else if (child.nodeType === 1 && !SKIPPED.has(child.localName)) mixHash(hashOf(child, level + 1));
    }
    const hash = (a >>> 0) * 0x200000 + (b >>> 11);
    [a, b] = outer;
    known.set(node, hash);
    return hash;
  };

  /// The number, given what the hooks have counted: shadow roots made and canvases painted on. A
  /// page whose hooks do not answer is read anew each time.
  return (counted) => {
    take(observer.takeRecords());
    if (!counted || counted.roots !== roots) known = new WeakMap();
    if (!counted || counted.paints !== paints) recheck(canvases, pixelsOf);
    if (counted) ({ roots, paints } = counted);
    recheck(controls, stateOf);
    recheck(frames, documentOf);
    budget = 400000;
    return hashOf(document, 0);
  };
};
