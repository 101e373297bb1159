(function () {
  'use strict';
  const L = TIE.labels;

  const Reply = {
    props: ['c'],
    data() { return { L, likes: this.c.likes, open: false, closed: false, text: '' }; },
    methods: {
      like() { Tie.post(this.c.id + '/like', {}, (d) => { this.likes = d.likes; }); },
      report() { Tie.post(this.c.id + '/report', {}, () => Tie.toast(L.thanks)); },
      copy() { Tie.copy(this.c.id); },
      send() {
        Tie.post(this.c.id + '/reply', { text: this.text }, () => {
          this.open = false;
          Tie.toast(L.thanks);
        });
      },
    },
    template: `
      <div class="reply" :id="'c' + c.id">
        <div class="who"><b>{{ c.nick }}</b> <span>{{ L.from }} {{ c.place }}</span> <em>{{ c.time }}</em></div>
        <blockquote v-if="c.quote" class="quote" :class="{ closed }">
          <div class="qh">{{ c.quote.nick }} {{ L.quote }} <a href="#" @click.prevent="closed = !closed">{{ closed ? L.unfold : L.fold }}</a></div>
          <p>{{ c.quote.text }}</p>
        </blockquote>
        <p class="say">{{ c.text }}</p>
        <div class="ops">
          <a href="#" @click.prevent="like">{{ L.like }} (<i>{{ likes }}</i>)</a>
          <a href="#" @click.prevent="open = true">{{ L.reply }}</a>
          <a href="#" @click.prevent="copy">{{ L.copy }}</a>
          <a href="#" @click.prevent="report">{{ L.report }}</a>
        </div>
        <div class="rebox" :class="{ open }">
          <textarea rows="3" cols="50" v-model="text"></textarea>
          <p><button type="button" @click="send">{{ L.send }}</button> <button type="button" @click="open = false">{{ L.cancel }}</button></p>
        </div>
      </div>`,
  };

  Vue.createApp({
    components: { Reply },
    data() { return { L, data: null, busy: true, order: 'new', wish: '' }; },
    computed: {
      shown() { return this.order === 'new' ? this.data.items : this.data.items.slice().reverse(); },
      steps() { return Tie.steps(this.data.page, this.data.pages); },
    },
    methods: {
      go(page) {
        this.busy = true;
        Tie.load(page, (data) => {
          this.data = data;
          this.busy = false;
          this.wish = '';
        });
      },
      jump() {
        const page = parseInt(this.wish, 10);
        if (page >= 1 && page <= this.data.pages) this.go(page);
      },
    },
    mounted() { this.go(1); },
    template: `
      <p v-if="!data" class="loading">{{ L.loading }}</p>
      <template v-else>
        <div class="tie-bar"><b>{{ data.total }}</b> {{ L.total }}
          <span class="sort">
            <a href="#" :class="{ on: order === 'new' }" @click.prevent="order = 'new'">{{ L.newest }}</a>
            <a href="#" :class="{ on: order === 'old' }" @click.prevent="order = 'old'">{{ L.oldest }}</a>
          </span>
        </div>
        <div class="tie-list" :class="{ busy }"><Reply v-for="c in shown" :key="c.id" :c="c"></Reply></div>
        <ul class="pager">
          <li v-if="data.page > 1" class="num" @click="go(data.page - 1)">{{ L.prev }}</li>
          <template v-for="(p, i) in steps" :key="i">
            <li v-if="!p"><span>…</span></li>
            <li v-else-if="p === data.page"><b>{{ p }}</b></li>
            <li v-else class="num" @click="go(p)">{{ p }}</li>
          </template>
          <li v-if="data.page < data.pages" class="num" @click="go(data.page + 1)">{{ L.next }}</li>
          <li class="jump">{{ L.goto }} <input type="text" size="3" v-model="wish"> {{ L.page }} <button type="button" @click="jump">{{ L.go }}</button></li>
        </ul>
      </template>`,
  }).mount('.tie-app');
})();
