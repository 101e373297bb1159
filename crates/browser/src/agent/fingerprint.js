// Has the document changed? Good for one document, never stored: what a state *is* is decided in
// Rust over the whole tree.
const SKIPPED = new Set(['script', 'style', 'noscript', 'template']);

const hashDocument = (shadowOf) => {
  let a = 0x811c9dc5;
  let b = 0x1b873593;
  let budget = 400000;
  const mix = (text) => {
    const end = Math.min(text.length, 20000);
    for (let i = 0; i < end; i++) {
      a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
    }
    b = Math.imul(b ^ a ^ text.length, 0x85ebca6b);
    b ^= b >>> 13;
  };
  const visit = (node, level) => {
    // Scripts can nest deeper than the stack is.
    if (level > 600) return;
    for (; node && budget > 0; node = node.nextSibling) {
      budget--;
      if (node.nodeType === 3) {
        mix(node.data);
        continue;
      }
      if (node.nodeType !== 1) continue;
      const name = node.localName;
      if (SKIPPED.has(name)) continue;
      mix(name);
      const attributes = node.attributes;
      for (let i = 0; i < attributes.length; i++) {
        mix(attributes[i].name);
        mix(attributes[i].value);
      }
      if (name === 'input' || name === 'select' || name === 'textarea') {
        mix(String(node.value) + (node.checked ? '+' : '-'));
      }
      const root = shadowOf(node);
      if (root) visit(root.firstChild, level + 1);
      if (name === 'iframe' || name === 'frame') {
        try {
          if (node.contentDocument) visit(node.contentDocument.firstChild, level + 1);
        } catch {
          // A frame of another origin has an agent of its own.
        }
      }
      visit(node.firstChild, level + 1);
      mix('/');
    }
  };
  visit(document.firstChild, 0);
  return `${(a >>> 0).toString(16)}${(b >>> 0).toString(16)}`;
};
