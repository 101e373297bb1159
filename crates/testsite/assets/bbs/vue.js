(function () {
  var Thing = {
    props: ['link', 'kind'],
    methods: { open: function () { Forum.open(this.link.id); } },
    template:
      '<a v-if="link.script" href="#" :class="kind" @click.prevent="open">{{ link.text }}</a>' +
      '<a v-else :href="link.url" :class="kind">{{ link.text }}</a>'
  };
  var Pager = {
    props: ['steps'],
    data: function () { return { page: '', L: FORUM.labels }; },
    methods: {
      turn: function (page) { Forum.turn(page); },
      jump: function () { if (parseInt(this.page, 10) > 0) Forum.turn(parseInt(this.page, 10)); }
    },
    template:
      '<div class="pages" v-if="steps.length"><template v-for="step in steps">' +
      '<strong v-if="step.here">{{ step.label }}</strong>' +
      '<a v-else href="#" @click.prevent="turn(step.page)">{{ step.label }}</a></template>' +
      '<label>{{ L.jump }} <input size="3" name="page" v-model="page"></label>' +
      '<button type="button" @click="jump">{{ L.go }}</button></div>'
  };
  var List = {
    components: { Pager: Pager, Thing: Thing },
    props: ['view'],
    data: function () { return { L: FORUM.labels }; },
    template:
      '<div class="bar"><Pager :steps="view.pager"/><span class="range">{{ view.marker }}</span></div>' +
      '<table class="threads" cellspacing="0"><thead><tr><td></td><th>{{ L.threads }}</th><td>{{ L.author }}</td>' +
      '<td>{{ L.replies }}</td><td>{{ L.lastPost }}</td></tr></thead><tbody>' +
      '<tr v-for="row in view.rows" :key="row.thread.id"><td class="icon"><span class="folder" :class="{ hot: row.replies > 15 }"></span></td>' +
      '<th class="subject"><Thing :link="row.thread" kind="xst"/></th>' +
      '<td class="by"><cite><Thing :link="row.author" kind="nick"/></cite><em>{{ row.begun }}</em></td>' +
      '<td class="nums"><strong>{{ row.replies }}</strong> / <em>{{ row.views }}</em></td>' +
      '<td class="by"><cite><Thing :link="row.last" kind="nick"/></cite><em>{{ row.last_time }}</em></td></tr></tbody></table>' +
      '<div class="bar"><Pager :steps="view.pager"/></div>'
  };
  var Thread = {
    components: { Pager: Pager, Thing: Thing },
    props: ['view'],
    data: function () { return { L: FORUM.labels }; },
    methods: { act: function (name, argument) { Forum[name](argument); } },
    template:
      '<div class="bar"><Pager :steps="view.pager"/></div>' +
      '<div class="post" v-for="post in view.posts" :key="post.id" :id="\'pid\' + post.id"><div class="who">' +
      '<div class="name"><Thing :link="post.author" kind="nick"/></div><a :href="post.author.url" :class="\'avatar a\' + post.group_number"></a>' +
      '<p class="group">{{ post.group }}</p><p>{{ post.count }}</p><p>{{ post.joined }}</p>' +
      '<p><a href="#" @click.prevent="act(\'friend\', post.author.id)">{{ L.friend }}</a>' +
      '<a href="#" @click.prevent="act(\'message\', post.author.id)">{{ L.message }}</a></p></div>' +
      '<div class="what"><div class="head"><em>{{ post.posted }}</em><span>{{ post.marker }}</span><strong>{{ post.floor }}</strong></div>' +
      '<div class="text"><blockquote v-if="post.quote"><b>{{ post.quote.head }}</b> {{ post.quote.text }}</blockquote>' +
      '<p>{{ post.text }} <img src="/static/smiley.svg" alt=":)" width="16" height="16"></p></div>' +
      '<div class="sign">{{ post.signature }}</div><div class="foot">' +
      '<a href="#" @click.prevent="act(\'like\', post.id)">{{ L.like }} (<span :id="\'likes\' + post.id">{{ post.likes }}</span>)</a>' +
      '<a href="#" @click.prevent="act(\'quote\', post.id)">{{ L.quote }}</a>' +
      '<a href="#" @click.prevent="act(\'report\', post.id)">{{ L.report }}</a>' +
      '<a href="#" @click.prevent="act(\'answer\', post.id)">{{ L.reply }}</a>' +
      '<a :href="\'http://share.quayside.example/?post=\' + post.id">{{ L.share }}</a><a href="#top">TOP</a></div></div></div>' +
      '<div class="bar"><Pager :steps="view.pager"/></div>'
  };
  Forum.json = true;
  // The frame of the site is older than Vue, and bound by hand.
  document.querySelectorAll('[data-act]').forEach(function (element) {
    var name = element.getAttribute('data-act');
    var argument = element.getAttribute('data-arg');
    element.addEventListener('click', function () { Forum[name](argument); });
  });
  if (FORUM.drawn) {
    var app = Vue.createApp({
      components: { List: List, Thread: Thread },
      data: function () { return { view: FORUM.drawn }; },
      mounted: function () {
        var self = this;
        Forum.show = function (view) { self.view = view; };
      },
      template: '<List v-if="view.rows" :view="view"/><Thread v-else :view="view"/>'
    });
    app.mount('#region');
  }
})();
