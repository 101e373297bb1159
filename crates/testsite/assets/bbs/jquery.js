jQuery(function ($) {
  $(document).on('click', '[data-act]', function (event) {
    var act = $(this).data('act');
    event.preventDefault();
    Forum[act](act === 'jump' ? this : $(this).attr('data-arg'));
  });
  Forum.show = function (html) { $('#region').html(html); };
});
