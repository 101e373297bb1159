// The state graph of a site. Places come from the server; cytoscape draws them.
"use strict";

(async () => {
  const area = document.getElementById("graph-area");
  const answer = await fetch(area.dataset.source, { headers: { accept: "application/json" } });
  if (!answer.ok) {
    document.getElementById("graph-hint").textContent = `${answer.status}`;
    return;
  }
  const data = await answer.json();
  const isDark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  // Dots want stronger colours than boxes with words in them.
  const fill = (kind) => {
    const [hue, saturation, light] = data.kinds[kind].fills[isDark() ? 1 : 0].match(/\d+/g).map(Number);
    return `hsl(${hue}, ${saturation}%, ${isDark() ? light + 30 : light - 28}%)`;
  };
  const ink = () => getComputedStyle(document.documentElement).getPropertyValue("--ink").trim();
  const line = () => getComputedStyle(document.documentElement).getPropertyValue("--line").trim();
  const many = data.pages.length > 800;

  const nodes = data.pages.map((page, at) => ({
    data: { id: `n${at}`, at, label: page.title.slice(0, 40), fill: fill(page.kind) },
    position: { x: page.x, y: page.y },
    classes: page.events ? "events" : "",
  }));
  const edges = data.lines.map(([from, to, events], at) => ({
    data: { id: `e${at}`, source: `n${from}`, target: `n${to}` },
    classes: events ? "event" : "link",
  }));
  // It would add a style of its own, unless there is one of this name; what it says is in our sheet.
  const named = document.createElement("meta");
  named.id = "__________cytoscape_stylesheet";
  document.head.append(named);
  const drawn = cytoscape({
    container: document.getElementById("graph"),
    elements: { nodes, edges },
    layout: { name: "preset" },
    minZoom: 0.02,
    maxZoom: 4,
    pixelRatio: many ? 1 : "auto",
    textureOnViewport: many,
    hideEdgesOnViewport: data.lines.length > 4000,
    autoungrabify: true,
    boxSelectionEnabled: false,
    style: [
      { selector: "node", style: { width: 16, height: 16, "background-color": "data(fill)", "border-width": 1.5, "border-color": ink(), "border-opacity": 0.45, label: "data(label)", color: ink(), "font-size": 9, "text-valign": "bottom", "text-margin-y": 3, "min-zoomed-font-size": 8, "text-wrap": "ellipsis", "text-max-width": 90 } },
      { selector: "node.events", style: { shape: "round-diamond", width: 19, height: 19 } },
      { selector: "edge", style: { width: 1, "curve-style": "haystack", "line-color": line(), opacity: 0.55 } },
      { selector: "edge.event", style: { "line-color": "#c07a00", width: 1.6, opacity: 0.9 } },
      { selector: ".hidden", style: { display: "none" } },
      { selector: ".way", style: { "line-color": "#0a7fa5", width: 4, opacity: 1, "z-index": 9 } },
      { selector: "node.way", style: { "border-color": "#0a7fa5", "border-width": 4, "border-opacity": 1 } },
      { selector: "node.found", style: { "border-color": "#c2187e", "border-width": 5, "border-opacity": 1 } },
    ],
  });
  drawn.fit(undefined, 30);

  const legend = document.getElementById("graph-legend");
  for (const [number, kind] of data.kinds.entries()) {
    const item = document.createElement("li");
    const mark = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    mark.setAttribute("viewBox", "0 0 10 10");
    const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    for (const [name, value] of [["cx", 5], ["cy", 5], ["r", 4.5], ["fill", fill(number)], ["stroke", "currentColor"], ["stroke-width", 0.6]]) {
      dot.setAttribute(name, value);
    }
    mark.append(dot);
    item.append(mark, ` ${kind.name} `, Object.assign(document.createElement("small"), { textContent: kind.count }));
    legend.append(item);
  }
  if (data.cut) {
    const cut = document.getElementById("graph-cut");
    cut.textContent = data.cut;
    cut.hidden = false;
  }

  // The lines from the entry to a page.
  const wayTo = (at) => {
    const way = [];
    while (data.pages[at].via !== null && way.length < 200) {
      way.unshift(data.pages[at].via);
      at = data.lines[way[0]][0];
    }
    return way;
  };
  const show = (at) => {
    const page = data.pages[at];
    drawn.elements(".way").removeClass("way");
    const way = wayTo(at);
    for (const number of way) {
      const [from, to] = data.lines[number];
      drawn.getElementById(`e${number}`).addClass("way").removeClass("hidden");
      drawn.getElementById(`n${from}`).addClass("way");
      drawn.getElementById(`n${to}`).addClass("way");
    }
    drawn.getElementById(`n${at}`).addClass("way");
    const box = document.getElementById("graph-page");
    box.querySelector("h2").textContent = page.title;
    box.querySelector(".key").textContent = page.key;
    box.querySelector("a").href = `/page/${page.page}`;
    const list = box.querySelector("ol");
    list.replaceChildren(...way.map((number) => {
      const [, to, events, , label] = data.lines[number];
      const item = document.createElement("li");
      if (events) {
        item.append(Object.assign(document.createElement("span"), { className: "chip", textContent: label }), " ");
      }
      item.append(Object.assign(document.createElement("a"), { href: `/page/${data.pages[to].page}`, textContent: data.pages[to].title }));
      return item;
    }));
    const thumb = box.querySelector("iframe");
    thumb.src = `${area.dataset.replay}/web/key?key=${page.page}`;
    thumb.hidden = false;
    box.hidden = false;
    document.getElementById("graph-hint").hidden = true;
  };
  drawn.on("tap", "node", (event) => show(event.target.data("at")));

  document.getElementById("graph-fit").addEventListener("click", () => drawn.fit(undefined, 30));
  const links = document.getElementById("graph-links");
  links.addEventListener("change", () => drawn.edges(".link").toggleClass("hidden", !links.checked));
  const find = document.getElementById("graph-find");
  find.addEventListener("input", () => {
    const words = find.value.trim().toLowerCase();
    drawn.nodes(".found").removeClass("found");
    if (!words) return;
    const found = data.pages.flatMap((page, at) => (`${page.title} ${page.key}`.toLowerCase().includes(words) ? [at] : []));
    found.slice(0, 500).forEach((at) => drawn.getElementById(`n${at}`).addClass("found"));
    if (found.length > 0 && found.length <= 60) {
      drawn.fit(drawn.nodes(".found"), 120);
    }
  });
  find.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const first = drawn.nodes(".found")[0];
    if (first) show(first.data("at"));
  });
  document.getElementById("graph-tools").addEventListener("submit", (event) => event.preventDefault());
  document.documentElement.dataset.graph = "drawn";
})();
