jQuery(function ($) {
  $(document)
    .on('mouseenter', '.nav-more', function () { $(this).addClass('open'); })
    .on('mouseleave', '.nav-more', function () { $(this).removeClass('open'); })
    .on('mouseenter', '.tabs .tab', function () {
      var n = $(this).index();
      $('.tabs .tab').removeClass('on').eq(n).addClass('on');
      $('ol.rank').removeClass('on').eq(n).addClass('on');
    })
    .on('click', '.js-login', function (e) { e.preventDefault(); $('#login-box').show(); })
    .on('click', '.js-close', function () { $('#login-box').hide(); })
    .on('click', '.js-print', function () { window.print(); })
    .on('click', '.js-share', function () { $(this).parent().toggleClass('open'); })
    .on('click', '.js-font', function () {
      $('#text').css('font-size', { s: 13, m: 15, l: 18 }[$(this).data('size')]);
    })
    .on('click', '.js-vote', function (e) {
      e.preventDefault();
      var choice = $(this.form).find('input:checked').val();
      if (choice !== undefined) $.post('/poll', { choice: choice });
    });
});
