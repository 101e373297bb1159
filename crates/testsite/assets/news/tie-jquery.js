jQuery(function ($) {
  var L = TIE.labels, $list = $('#tie-list'), $pager = $('#pager'), turn = 0;

  function toast(text) {
    $('#toast').text(text).addClass('on');
    setTimeout(function () { $('#toast').removeClass('on').text(''); }, 1500);
  }

  function post(id, what, fields) {
    return $.ajax({
      type: 'POST', url: '/api/comments/' + id + '/' + what, data: fields,
      headers: { 'X-CSRF-Token': $('meta[name=csrf-token]').attr('content') }
    }).fail(function () { toast(L.failed); });
  }

  function idOf(node) { return $(node).closest('.reply').data('id'); }

  function load(page) {
    var mine = ++turn;
    $list.addClass('busy');
    setTimeout(function () {
      $.get('/comment/' + TIE.code + '/list', { page: page }, function (html) {
        if (mine !== turn) return;
        var $part = $($.parseHTML(html));
        $list.removeClass('busy').empty().append($part.filter('.tie-items').children());
        $pager.empty().append($part.filter('.pages').contents());
        if ($('.sort .on').data('order') === 'old') flip();
      });
    }, TIE.delay);
  }

  function flip() { $list.append($list.children('.reply').get().reverse()); }

  $('.tie')
    .on('click', 'a.page', function (e) { e.preventDefault(); load($(this).data('page')); })
    .on('click', '.jump button', function () {
      var page = parseInt($('.jump input').val(), 10);
      if (page >= 1) load(page);
    })
    .on('click', '.sort a', function (e) {
      e.preventDefault();
      if ($(this).hasClass('on')) return;
      $('.sort a').toggleClass('on');
      flip();
    })
    .on('click', 'a.ding', function (e) {
      e.preventDefault();
      var $count = $(this).find('i');
      post(idOf(this), 'like').done(function (data) { $count.text(data.likes); });
    })
    .on('click', 'a.jb', function (e) {
      e.preventDefault();
      post(idOf(this), 'report').done(function () { toast(L.thanks); });
    })
    .on('click', 'a.re', function (e) { e.preventDefault(); $(this).closest('.reply').find('.rebox').show(); })
    .on('click', '.rebox .no', function () { $(this).closest('.rebox').hide(); })
    .on('click', '.rebox .ok', function () {
      var $box = $(this).closest('.rebox');
      post(idOf(this), 'reply', { text: $box.find('textarea').val() }).done(function () { $box.hide(); toast(L.thanks); });
    })
    .on('click', 'a.cp', function (e) {
      e.preventDefault();
      if (navigator.clipboard) navigator.clipboard.writeText(location.href.split('#')[0] + '#c' + idOf(this)).catch($.noop);
      toast(L.copied);
    })
    .on('click', 'a.fold', function (e) {
      e.preventDefault();
      var closed = $(this).closest('.quote').toggleClass('closed').hasClass('closed');
      $(this).text(closed ? L.unfold : L.fold);
    });

  load(1);
});
