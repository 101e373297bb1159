// One handler for the whole document, as sites with jQuery have it.
Live.bind = function () {};
Live.put = function (id, html) { jQuery('#' + id).html(html); };
jQuery(document).on('click mouseover change input focusout', '[data-on]', function (event) {
  var type = event.type === 'focusout' ? 'blur' : event.type;
  if (this.getAttribute('data-on') === type) Live.call(this.getAttribute('data-do'), this.getAttribute('data-arg'), this, event);
});
