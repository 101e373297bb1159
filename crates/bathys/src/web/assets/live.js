// What a crawl is doing, told by the server as it is committed.
"use strict";

(() => {
  const table = document.getElementById("live-sites");
  const news = document.getElementById("live-news");
  const history = new Map();
  const most = 60;

  const curve = (points) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 120 24");
    svg.setAttribute("aria-hidden", "true");
    const low = Math.min(...points.map(([, n]) => n));
    const high = Math.max(...points.map(([, n]) => n));
    const [begin, end] = [points[0][0], points[points.length - 1][0]];
    const place = ([time, n]) => {
      const x = end > begin ? (118 * (time - begin)) / (end - begin) + 1 : 1;
      const y = high > low ? 22 - (20 * (n - low)) / (high - low) : 12;
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    };
    const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
    line.setAttribute("points", points.map(place).join(" "));
    svg.append(line);
    return svg;
  };

  const source = new EventSource("/events");
  source.addEventListener("totals", (event) => {
    const totals = JSON.parse(event.data);
    const row = [...table.rows].find((one) => one.dataset.site === totals.site);
    if (!row) return;
    for (const name of ["pages", "versions", "waiting"]) {
      row.querySelector(`.${name}`).textContent = totals[name].toLocaleString("en");
    }
    const badge = row.querySelector(".badge");
    badge.classList.toggle("live", totals.running);
    badge.textContent = totals.running ? table.dataset.running : table.dataset.idle;
    const points = history.get(totals.site) ?? [];
    points.push([Date.now(), totals.versions]);
    history.set(totals.site, points.slice(-600));
    if (points.length > 1) {
      const [first, last] = [points[Math.max(0, points.length - 30)], points[points.length - 1]];
      const minutes = (last[0] - first[0]) / 60000;
      row.querySelector(".rate").textContent = minutes > 0 ? Math.round((last[1] - first[1]) / minutes).toLocaleString("en") : "";
      row.querySelector(".curve").replaceChildren(curve(points));
    }
  });
  source.addEventListener("version", (event) => {
    const version = JSON.parse(event.data);
    const item = document.createElement("li");
    const make = (name, className, text) => Object.assign(document.createElement(name), { className, textContent: text });
    const link = make("a", "title", version.title);
    link.href = `/page/${version.page}?v=${version.version}`;
    const box = document.createElement("div");
    const badge = version.version === 1 ? make("span", "badge new", news.dataset.new) : make("span", "badge", `v${version.version}`);
    box.append(link, " ", badge, make("div", "key", version.key));
    item.append(make("span", "when", version.time.slice(11, 19)), box);
    news.prepend(item);
    while (news.children.length > most) news.lastChild.remove();
  });
  addEventListener("pagehide", () => source.close());
})();
