// Draws marks over the page: each an outline around a run of siblings, with a tag.
((marks, legend, highest) => {
  const frameOffset = (node) => {
    let [x, y] = [window.scrollX, window.scrollY];
    for (let view = node.ownerDocument.defaultView; view && view !== window; view = view.parent) {
      const frame = view.frameElement;
      if (!frame) break;
      const box = frame.getBoundingClientRect();
      x += box.left + frame.clientLeft;
      y += box.top + frame.clientTop;
    }
    return [x, y];
  };
  // Children as our trees count them: texts beside each other are one, empty ones are none.
  const known = new Map();
  const childrenOf = (parent) => {
    if (known.has(parent)) return known.get(parent);
    const runs = [];
    known.set(parent, runs);
    let inText = false;
    for (const node of parent.childNodes) {
      const isText = node.nodeType === 3 || node.nodeType === 4;
      if (isText && !node.data) continue;
      if (isText && inText) runs[runs.length - 1].push(node);
      else runs.push([node]);
      inText = isText;
    }
    return runs;
  };
  const rangeBoxes = (node) => {
    const range = node.ownerDocument.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()];
  };
  const isSeen = (box) => box.width > 0 && box.height > 0;
  const boxesOf = (node) => {
    if (node.nodeType === 3 || node.nodeType === 4) return rangeBoxes(node).filter(isSeen);
    if (node.nodeType !== 1) return [];
    const style = node.ownerDocument.defaultView.getComputedStyle(node);
    if (style.display === 'none') return [];
    const own = node.getBoundingClientRect();
    // An element around floats or without a box of its own is where its content is.
    return isSeen(own) ? [own] : rangeBoxes(node).filter(isSeen);
  };
  const around = (nodes) => {
    const boxes = nodes.flatMap(boxesOf);
    if (boxes.length === 0) return null;
    const [x, y] = frameOffset(nodes[0]);
    let { left, top, right, bottom } = boxes[0];
    for (const box of boxes) {
      left = Math.min(left, box.left);
      top = Math.min(top, box.top);
      right = Math.max(right, box.right);
      bottom = Math.max(bottom, box.bottom);
    }
    return { left: left + x, top: top + y, width: right - left, height: bottom - top };
  };
  const place = ({ parent, from, to }) => {
    const element = bathys.find(parent);
    if (!element) return null;
    // A frame that cannot be seen into stands for all that is in it.
    const whole = element.contentWindow || from === null;
    return around(whole ? [element] : childrenOf(element).slice(from, to).flat());
  };

  const places = marks.map((mark) => ({ mark, box: place(mark) }));
  const scroller = document.scrollingElement || document.documentElement;
  const lowest = places.reduce((low, { box }) => Math.max(low, box ? box.top + box.height : 0), 0);
  const below = Math.min(Math.max(scroller.scrollHeight, Math.ceil(lowest)), highest - 30);

  const host = document.createElement('bathys-marks');
  host.style.cssText = 'all:initial!important;position:absolute!important;left:0!important;top:0!important;width:0!important;height:0!important;z-index:2147483647!important;pointer-events:none!important';
  document.documentElement.append(host);
  const origin = host.getBoundingClientRect();
  const [originX, originY] = [origin.left + window.scrollX, origin.top + window.scrollY];
  const root = host.attachShadow({ mode: 'closed' });
  const put = (style, text) => {
    const part = document.createElement('div');
    part.style.cssText = `position:absolute;box-sizing:border-box;font:bold 11px/14px sans-serif;white-space:nowrap;${style}`;
    part.textContent = text;
    root.append(part);
    return part;
  };
  const seen = places.filter(({ box }) => box);
  for (const { mark, box } of seen) {
    const at = `left:${box.left - originX}px;top:${box.top - originY}px;`;
    put(`${at}width:${box.width}px;height:${box.height}px;border:2px solid ${mark.colour};background:${mark.colour}14`, '');
  }
  // Tags above all outlines, at their upper right since reading begins at the left, and below each
  // other where blocks begin at the same place.
  const MOST_TAGS = 1000;
  const tags = [];
  const edge = document.documentElement.clientWidth;
  const tagged = seen.slice(0, MOST_TAGS).map(({ mark, box }) => ({
    box,
    tag: put(`max-width:${Math.min(320, Math.max(90, box.width))}px;padding:0 4px;overflow:hidden;text-overflow:ellipsis;color:#fff;background:${mark.colour}`, mark.caption),
  }));
  // All are measured before any is moved: one layout instead of one a tag.
  const widths = tagged.map(({ tag }) => tag.offsetWidth);
  for (const [at, { tag, box }] of tagged.entries()) {
    const width = widths[at];
    const left = Math.max(0, Math.min(box.left + box.width, edge) - width);
    let top = Math.max(0, box.top - 6);
    const hit = () => tags.find((other) => other.left < left + width && left < other.right && Math.abs(other.top - top) < 15);
    for (let tries = 0, other = hit(); other && tries < 50; tries++, other = hit()) top = other.top + 15;
    tag.style.left = `${left - originX}px`;
    tag.style.top = `${top - originY}px`;
    tags.push({ left, right: left + width, top });
  }
  const strip = put(`left:${-originX}px;top:${below - originY}px;width:${window.innerWidth}px;height:30px;padding:8px;background:#fff;color:#222;overflow:hidden`, '');
  const hidden = places.length - seen.length;
  const entries = [...legend, ...(hidden ? [[`${hidden} not shown`, '#888888']] : [])];
  for (const [name, colour] of entries) {
    const entry = document.createElement('span');
    entry.style.cssText = `margin-right:8px;padding:0 6px;color:#fff;background:${colour}`;
    entry.textContent = name;
    strip.append(entry);
  }
  return seen.length;
})
