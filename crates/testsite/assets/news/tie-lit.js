import { LitElement, html, nothing } from 'lit';

const L = TIE.labels;

// In the document itself, so that the style sheet of the site reaches them.
class Plain extends LitElement {
  createRenderRoot() { return this; }
}

class TieReply extends Plain {
  static properties = { comment: { attribute: false }, likes: { state: true }, open: { state: true }, closed: { state: true } };

  willUpdate(changed) {
    if (changed.has('comment')) {
      this.likes = this.comment.likes;
      this.open = false;
      this.closed = false;
    }
  }

  like() { Tie.post(this.comment.id + '/like', {}, (data) => { this.likes = data.likes; }); }
  report() { Tie.post(this.comment.id + '/report', {}, () => Tie.toast(L.thanks)); }
  send() {
    const text = this.querySelector('textarea').value;
    Tie.post(this.comment.id + '/reply', { text }, () => { this.open = false; Tie.toast(L.thanks); });
  }

  render() {
    const c = this.comment;
    return html`
      <div class="reply" id=${'c' + c.id}>
        <div class="who"><b>${c.nick}</b> <span>${L.from} ${c.place}</span> <em>${c.time}</em></div>
        ${c.quote ? html`<blockquote class=${this.closed ? 'quote closed' : 'quote'}>
          <div class="qh">${c.quote.nick} ${L.quote}
            <button type="button" class="act" @click=${() => { this.closed = !this.closed; }}>${this.closed ? L.unfold : L.fold}</button></div>
          <p>${c.quote.text}</p></blockquote>` : nothing}
        <p class="say">${c.text}</p>
        <div class="ops">
          <button type="button" class="act" @click=${this.like}>${L.like} (<i>${this.likes}</i>)</button>
          <button type="button" class="act" @click=${() => { this.open = true; }}>${L.reply}</button>
          <button type="button" class="act" @click=${() => Tie.copy(c.id)}>${L.copy}</button>
          <button type="button" class="act" @click=${this.report}>${L.report}</button>
        </div>
        <div class=${this.open ? 'rebox open' : 'rebox'}>
          <textarea rows="3" cols="50"></textarea>
          <p><button type="button" @click=${this.send}>${L.send}</button>
            <button type="button" @click=${() => { this.open = false; }}>${L.cancel}</button></p>
        </div>
      </div>`;
  }
}

class TieComments extends Plain {
  static properties = { data: { state: true }, busy: { state: true }, order: { state: true } };

  constructor() {
    super();
    this.order = 'new';
    this.go(1);
  }

  go(page) {
    this.busy = true;
    Tie.load(page, (data) => { this.data = data; this.busy = false; });
  }

  jump() {
    const page = parseInt(this.querySelector('.jump input').value, 10);
    if (page >= 1 && page <= this.data.pages) this.go(page);
  }

  sort(order, label) {
    return html`<button type="button" class=${this.order === order ? 'act on' : 'act'} @click=${() => { this.order = order; }}>${label}</button>`;
  }

  step(page, label) {
    return html`<button type="button" class="num" @click=${() => this.go(page)}>${label}</button>`;
  }

  render() {
    const data = this.data;
    if (!data) return html`<p class="loading">${L.loading}</p>`;
    const shown = this.order === 'new' ? data.items : data.items.slice().reverse();
    return html`
      <div class="tie-bar"><b>${data.total}</b> ${L.total} <span class="sort">${this.sort('new', L.newest)} ${this.sort('old', L.oldest)}</span></div>
      <div class=${this.busy ? 'tie-list busy' : 'tie-list'}>${shown.map((c) => html`<tie-reply .comment=${c}></tie-reply>`)}</div>
      <div class="pager">
        ${data.page > 1 ? this.step(data.page - 1, L.prev) : nothing}
        ${Tie.steps(data.page, data.pages).map((p) => !p ? html`<span>…</span>` : p === data.page ? html`<b>${p}</b>` : this.step(p, p))}
        ${data.page < data.pages ? this.step(data.page + 1, L.next) : nothing}
        <span class="jump">${L.goto} <input type="text" size="3"> ${L.page} <button type="button" @click=${this.jump}>${L.go}</button></span>
      </div>`;
  }
}

customElements.define('tie-reply', TieReply);
customElements.define('tie-comments', TieComments);
document.querySelector('.tie-app').replaceChildren(document.createElement('tie-comments'));
