'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const canvas = document.getElementById('graph');
  const pen = canvas.getContext('2d');
  const byId = (id) => document.getElementById(id);
  const BOX = [170, 34];
  const MOST_LISTED = 60;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const view = { scale: 1, x: 0, y: 0, grouped: data.grouped, links: true, chosen: data.to, group: null };

  for (const drawn of [data.all, data.groups]) {
    drawn.arrows = drawn.arrows.map(([from, to, event, count, label]) => ({ from, to, event: event === 1, count, label }));
  }
  const xpaths = new Map(data.xpaths);

  // Lines of each page, both ways.
  const leaving = data.pages.map(() => []);
  const coming = data.pages.map(() => []);
  data.all.arrows.forEach((arrow, at) => {
    leaving[arrow.from].push(at);
    coming[arrow.to].push(at);
  });

  const drawing = () => (view.grouped ? data.groups : data.all);

  const wayTo = (page) => {
    const way = [];
    for (let at = page; at !== null && data.pages[at].via !== null;) {
      way.push(data.pages[at].via);
      at = data.all.arrows[data.pages[at].via].from;
    }
    return way.reverse();
  };

  // What is highlighted, as places in the drawing that is shown.
  const lit = () => {
    const items = new Set();
    const arrows = new Set();
    if (view.grouped && view.group !== null) items.add(view.group);
    if (view.chosen === null) return { items, arrows };
    const place = (page) => (view.grouped ? data.group[page] : page);
    items.add(place(view.chosen));
    for (const at of wayTo(view.chosen)) {
      const { from, to, event } = data.all.arrows[at];
      items.add(place(from));
      items.add(place(to));
      if (!view.grouped) arrows.add(at);
      else data.groups.arrows.forEach((arrow, i) => {
        if (arrow.from === place(from) && arrow.to === place(to) && arrow.event === event) arrows.add(i);
      });
    }
    return { items, arrows };
  };

  const colours = () => {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue(name).trim();
    return { paper: of('--paper'), ink: of('--ink'), soft: of('--soft'), edge: of('--edge'),
      event: of('--event'), way: of('--way') };
  };

  const size = () => {
    const { clientWidth, clientHeight } = canvas;
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(clientWidth * ratio) || canvas.height !== Math.round(clientHeight * ratio)) {
      canvas.width = Math.round(clientWidth * ratio);
      canvas.height = Math.round(clientHeight * ratio);
    }
    return { width: clientWidth, height: clientHeight, ratio };
  };

  const line = (from, to) => {
    const a = from.y + BOX[1] / 2;
    const b = to.y + BOX[1] / 2;
    if (to.x > from.x) {
      const start = from.x + BOX[0];
      const bend = (to.x - start) / 2;
      pen.moveTo(start, a);
      pen.bezierCurveTo(start + bend, a, to.x - bend, b, to.x, b);
    } else {
      const out = Math.min(from.x, to.x) - 30 - Math.min(Math.abs(a - b), 400) / 8;
      pen.moveTo(from.x, a);
      pen.bezierCurveTo(out, a, out, b, to.x, b);
    }
  };

  let asked = false;
  const draw = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; paint(); });
  };

  const paint = () => {
    const { width, height, ratio } = size();
    const c = colours();
    const shown = drawing();
    const { items, arrows } = lit();
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = c.paper;
    pen.fillRect(0, 0, width, height);
    pen.setTransform(ratio * view.scale, 0, 0, ratio * view.scale, ratio * view.x, ratio * view.y);
    const left = -view.x / view.scale;
    const top = -view.y / view.scale;
    const right = left + width / view.scale;
    const bottom = top + height / view.scale;
    const inside = (item) => item.x + BOX[0] >= left && item.x <= right && item.y + BOX[1] >= top && item.y <= bottom;
    const crosses = (a, b) => Math.max(a.x, b.x) + BOX[0] >= left && Math.min(a.x, b.x) - 80 <= right
      && Math.max(a.y, b.y) + BOX[1] >= top && Math.min(a.y, b.y) <= bottom;
    const stroke = (colour, thick, dash, alpha, which) => {
      pen.beginPath();
      for (let at = 0; at < shown.arrows.length; at++) {
        const arrow = shown.arrows[at];
        if (!which(arrow, at)) continue;
        const from = shown.items[arrow.from];
        const to = shown.items[arrow.to];
        if (crosses(from, to)) line(from, to);
      }
      pen.strokeStyle = colour;
      pen.globalAlpha = alpha;
      pen.lineWidth = thick / Math.max(view.scale, 0.3);
      pen.setLineDash(dash);
      pen.stroke();
      pen.globalAlpha = 1;
      pen.setLineDash([]);
    };
    // So many links are a grey wall, and slow: then only those of what is chosen are drawn.
    const many = shown.arrows.length > 2500;
    const own = view.grouped ? (view.group !== null ? view.group : data.group[view.chosen]) : view.chosen;
    if (view.links) {
      stroke(c.edge, 0.8, shown.arrows.length > 400 ? [] : [2, 3], 0.4, (arrow) => !arrow.event
        && (!many || arrow.from === own || arrow.to === own));
    }
    stroke(c.event, 1.2, [], 0.75, (arrow) => arrow.event);
    stroke(c.way, 3, [], 1, (_, at) => arrows.has(at));
    shown.items.forEach((item, at) => {
      if (!inside(item)) return;
      pen.fillStyle = data.kinds[item.kind].fills[dark.matches ? 1 : 0];
      pen.strokeStyle = items.has(at) ? c.way : c.edge;
      pen.lineWidth = (items.has(at) ? 3 : 1) / Math.max(view.scale, 0.3);
      pen.beginPath();
      pen.roundRect(item.x, item.y, BOX[0], BOX[1], 6);
      pen.fill();
      pen.stroke();
      if (view.scale < 0.35) return;
      pen.fillStyle = c.ink;
      pen.font = '12px system-ui, sans-serif';
      pen.fillText(item.label, item.x + 8, item.y + 14, BOX[0] - 14);
      pen.fillStyle = c.soft;
      pen.font = '10px system-ui, sans-serif';
      pen.fillText(item.small, item.x + 8, item.y + 28, BOX[0] - 14);
    });
    if (view.scale < 0.55) return;
    pen.font = '9px system-ui, sans-serif';
    pen.textAlign = 'right';
    pen.fillStyle = c.event;
    const labelled = new Set();
    shown.arrows.forEach((arrow) => {
      const from = shown.items[arrow.from];
      const to = shown.items[arrow.to];
      const place = arrow.to * 2 + (arrow.event ? 1 : 0);
      if (labelled.has(place) || !(arrow.event || (view.grouped && view.links)) || to.x <= from.x || !inside({ x: to.x - BOX[0], y: to.y })) return;
      labelled.add(place);
      const times = arrow.count > 1 ? ` ×${arrow.count}` : '';
      const y = to.y + BOX[1] / 2 + (arrow.event ? -4 : 9);
      pen.fillText(arrow.label + times, to.x - 10, y, 186);
    });
    pen.textAlign = 'left';
  };

  const fitAll = (least) => {
    const { width, height } = size();
    const shown = drawing();
    const scale = Math.min(width / (shown.width + 80), height / (shown.height + 60), 1.2);
    // At first nothing is too small to be read: a long graph begins at its entry.
    view.scale = Math.max(scale, least);
    view.x = Math.max((width - shown.width * view.scale) / 2, 24);
    view.y = (height - shown.height * view.scale) / 2;
    draw();
  };

  const centre = (item) => {
    const { width, height } = size();
    view.scale = Math.max(view.scale, 0.8);
    view.x = width / 2 - (item.x + BOX[0] / 2) * view.scale;
    view.y = height / 2 - (item.y + BOX[1] / 2) * view.scale;
    draw();
  };

  const zoom = (by, x, y) => {
    const scale = Math.min(Math.max(view.scale * by, 0.01), 6);
    view.x = x - (x - view.x) * (scale / view.scale);
    view.y = y - (y - view.y) * (scale / view.scale);
    view.scale = scale;
    draw();
  };

  const make = (tag, text, name) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (name) made.className = name;
    return made;
  };

  const go = (page) => {
    const button = make('button', `${data.pages[page].page}  ${data.pages[page].title}`, 'go');
    button.onclick = () => choose(page, true);
    return button;
  };

  const list = (into, heading, entries, each) => {
    if (!entries.length) return;
    into.append(make('h2', `${heading} (${entries.length})`));
    entries.slice(0, MOST_LISTED).forEach((entry) => into.append(each(entry)));
    if (entries.length > MOST_LISTED) into.append(make('p', `and ${entries.length - MOST_LISTED} more`, 'soft'));
  };

  const arrowText = (at) => {
    const arrow = data.all.arrows[at];
    const times = arrow.count > 1 ? ` ×${arrow.count}` : '';
    return `${arrow.event ? arrow.label : 'link'}${times}`;
  };

  const through = (at, page) => {
    const row = make('div');
    row.append(make('span', arrowText(at), 'soft'), go(page));
    row.firstChild.title = xpaths.get(at) || '';
    return row;
  };

  const describe = () => {
    const into = byId('detail');
    into.replaceChildren();
    if (view.grouped && view.group !== null) {
      const members = [];
      data.group.forEach((group, page) => { if (group === view.group) members.push(page); });
      list(into, data.kinds[data.groups.items[view.group].kind].name, members, go);
      return;
    }
    if (view.chosen === null) {
      list(into, 'Refused events', data.refused, ([from, count, label, because]) => {
        const row = make('div');
        const more = count > 1 ? `, on ${count} pages, first on` : ', on';
        row.append(make('span', `${label}: ${because}${more}`, 'soft'), go(from));
        return row;
      });
      return;
    }
    const page = data.pages[view.chosen];
    into.append(make('h2', `Page ${page.page}`), make('p', page.title), make('p', page.key, 'soft'));
    const kind = data.kinds[data.all.items[view.chosen].kind].name;
    into.append(make('p', `${kind}${page.events ? ', reached by events only' : ''}`, 'soft'));
    const way = wayTo(view.chosen);
    into.append(make('h2', `The way here (${way.length} steps)`));
    if (way.length) {
      const steps = make('ol');
      const first = make('li');
      first.append(go(data.all.arrows[way[0]].from));
      steps.append(first);
      way.forEach((at) => {
        const step = make('li');
        const said = make('span', arrowText(at), 'step');
        said.title = xpaths.get(at) || '';
        step.append(said, go(data.all.arrows[at].to));
        steps.append(step);
      });
      into.append(steps);
    }
    const events = (lines) => lines.filter((at) => data.all.arrows[at].event);
    const links = (lines) => lines.filter((at) => !data.all.arrows[at].event);
    list(into, 'Events from here', events(leaving[view.chosen]), (at) => through(at, data.all.arrows[at].to));
    list(into, 'Links from here', links(leaving[view.chosen]), (at) => go(data.all.arrows[at].to));
    list(into, 'Leads here', coming[view.chosen], (at) => through(at, data.all.arrows[at].from));
    list(into, 'First refused here', data.refused.filter(([from]) => from === view.chosen),
      ([, , label, because]) => make('p', `${label}: ${because}`, 'soft'));
  };

  const choose = (page, move) => {
    view.chosen = page;
    view.group = null;
    if (page !== null && move) centre(drawing().items[view.grouped ? data.group[page] : page]);
    describe();
    draw();
  };

  const search = (text) => {
    const into = byId('found');
    into.replaceChildren();
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return;
    const found = [];
    data.pages.forEach((page, at) => {
      const all = `${page.page} ${page.title} ${page.key}`.toLowerCase();
      if (words.every((word) => all.includes(word))) found.push(at);
    });
    list(into, 'Found', found, go);
    if (!found.length) into.append(make('h2', 'Nothing found'));
  };

  const hit = (event) => {
    const x = (event.offsetX - view.x) / view.scale;
    const y = (event.offsetY - view.y) / view.scale;
    return drawing().items.findLastIndex((item) => x >= item.x && x <= item.x + BOX[0] && y >= item.y && y <= item.y + BOX[1]);
  };

  let held = null;
  canvas.onpointerdown = (event) => {
    held = { x: event.offsetX, y: event.offsetY, moved: false };
    canvas.setPointerCapture(event.pointerId);
  };
  canvas.onpointermove = (event) => {
    if (!held) return;
    const [dx, dy] = [event.offsetX - held.x, event.offsetY - held.y];
    if (!held.moved && Math.hypot(dx, dy) < 4) return;
    Object.assign(held, { x: event.offsetX, y: event.offsetY, moved: true });
    view.x += dx;
    view.y += dy;
    draw();
  };
  canvas.onpointerup = (event) => {
    const clicked = held && !held.moved;
    held = null;
    if (!clicked) return;
    const at = hit(event);
    if (at < 0) choose(null, false);
    else if (!view.grouped) choose(at, false);
    else { view.group = at; view.chosen = null; describe(); draw(); }
  };
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
  }, { passive: false });
  canvas.onkeydown = (event) => {
    const moves = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    const { width, height } = size();
    if (moves[event.key]) { view.x += moves[event.key][0]; view.y += moves[event.key][1]; draw(); event.preventDefault(); }
    if (event.key === '+') zoom(1.25, width / 2, height / 2);
    if (event.key === '-') zoom(0.8, width / 2, height / 2);
  };
  byId('in').onclick = () => { const { width, height } = size(); zoom(1.25, width / 2, height / 2); };
  byId('out').onclick = () => { const { width, height } = size(); zoom(0.8, width / 2, height / 2); };
  byId('fit').onclick = () => fitAll(0.01);
  byId('links').onchange = (event) => { view.links = event.target.checked; draw(); };
  byId('grouped').checked = view.grouped;
  byId('grouped').onchange = (event) => { view.grouped = event.target.checked; view.group = null; describe(); fitAll(0.3); };
  byId('search').oninput = (event) => search(event.target.value);

  const legend = byId('legend');
  legend.append(make('h2', 'Page types'));
  data.kinds.forEach((kind) => {
    const row = make('p');
    const chip = make('span', '', 'chip');
    chip.style.background = `light-dark(${kind.fills[0]}, ${kind.fills[1]})`;
    row.append(chip, `${kind.name} (${kind.count})`);
    legend.append(row);
  });
  legend.append(make('p', 'blue: events; grey: links; orange: the way from the entry', 'soft'));
  legend.append(make('p', `${data.refused_count} events were refused`, 'soft'));
  if (data.cut) legend.append(make('p', data.cut, 'soft'));

  new ResizeObserver(() => draw()).observe(canvas);
  dark.addEventListener('change', draw);
  fitAll(0.3);
  choose(data.to, data.to !== null && data.pages.length > 60);
})();
