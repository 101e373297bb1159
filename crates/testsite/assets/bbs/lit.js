import { LitElement, html, nothing } from 'lit';

const L = FORUM.labels;

const act = (name, argument) => (event) => { event.preventDefault(); Forum[name](argument); };

const link = (to, kind) => to.script
  ? html`<a href="#" class=${kind} @click=${act('open', to.id)}>${to.text}</a>`
  : html`<a href=${to.url} class=${kind}>${to.text}</a>`;

function pager(steps) {
  if (!steps.length) return nothing;
  const jump = (event) => Forum.jump(event.currentTarget);
  return html`<div class="pages">${steps.map((step) => step.here
    ? html`<strong>${step.label}</strong>`
    : html`<a href="#" @click=${act('turn', step.page)}>${step.label}</a>`)}
    <label>${L.jump} <input size="3" name="page"></label><button type="button" @click=${jump}>${L.go}</button></div>`;
}

const row = (row) => html`<tr>
  <td class="icon"><span class=${row.replies > 15 ? 'folder hot' : 'folder'}></span></td>
  <th class="subject">${link(row.thread, 'xst')}</th>
  <td class="by"><cite>${link(row.author, 'nick')}</cite><em>${row.begun}</em></td>
  <td class="nums"><strong>${row.replies}</strong> / <em>${row.views}</em></td>
  <td class="by"><cite>${link(row.last, 'nick')}</cite><em>${row.last_time}</em></td></tr>`;

const list = (view) => html`
  <div class="bar">${pager(view.pager)}<span class="range">${view.marker}</span></div>
  <table class="threads" cellspacing="0">
    <thead><tr><td></td><th>${L.threads}</th><td>${L.author}</td><td>${L.replies}</td><td>${L.lastPost}</td></tr></thead>
    <tbody>${view.rows.map(row)}</tbody></table>
  <div class="bar">${pager(view.pager)}</div>`;

const post = (post) => html`
  <div class="post" id=${'pid' + post.id}>
    <div class="who"><div class="name">${link(post.author, 'nick')}</div>
      <a href=${post.author.url} class=${'avatar a' + post.group_number}></a>
      <p class="group">${post.group}</p><p>${post.count}</p><p>${post.joined}</p>
      <p><a href="#" @click=${act('friend', post.author.id)}>${L.friend}</a><a href="#" @click=${act('message', post.author.id)}>${L.message}</a></p></div>
    <div class="what"><div class="head"><em>${post.posted}</em><span>${post.marker}</span><strong>${post.floor}</strong></div>
      <div class="text">${post.quote ? html`<blockquote><b>${post.quote.head}</b> ${post.quote.text}</blockquote>` : nothing}
        <p>${post.text} <img src="/static/smiley.svg" alt=":)" width="16" height="16"></p></div>
      <div class="sign">${post.signature}</div>
      <div class="foot"><a href="#" @click=${act('like', post.id)}>${L.like} (<span id=${'likes' + post.id}>${post.likes}</span>)</a>
        <a href="#" @click=${act('quote', post.id)}>${L.quote}</a><a href="#" @click=${act('report', post.id)}>${L.report}</a>
        <a href="#" @click=${act('answer', post.id)}>${L.reply}</a>
        <a href=${'http://share.quayside.example/?post=' + post.id}>${L.share}</a><a href="#top">TOP</a></div></div></div>`;

const thread = (view) => html`
  <div class="bar">${pager(view.pager)}</div>${view.posts.map(post)}<div class="bar">${pager(view.pager)}</div>`;

customElements.define('forum-region', class extends LitElement {
  static properties = { view: { attribute: false } };

  // In the document itself, so that the style sheet of the site reaches it.
  createRenderRoot() { return this; }

  render() { return this.view.rows ? list(this.view) : thread(this.view); }
});

Forum.json = true;
// The frame of the site is older than lit, and bound by hand.
document.querySelectorAll('[data-act]').forEach((element) => {
  const { act: name, arg: argument } = element.dataset;
  element.addEventListener('click', () => Forum[name](argument));
});
if (FORUM.drawn) {
  const region = document.createElement('forum-region');
  region.view = FORUM.drawn;
  Forum.show = (view) => { region.view = view; };
  document.getElementById('region').replaceChildren(region);
}
