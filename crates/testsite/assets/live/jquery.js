// One handler for the whole document, as sites with jQuery have it.
Live.bind = function () {};
Live.put = function (id, html) { jQuery('#' + id).html(html); };
Live.append = function (id, html) { jQuery('#' + id).append(html); };
(function ($) {
  function happened(event) {
    var type = event.type === 'focusout' ? 'blur' : event.type;
    var $element = $(this);
    if ($element.attr('data-on') === type) Live.call($element.attr('data-do'), $element.attr('data-arg'), this, event);
  }
  $(document).on('click mouseover change input focusout', '[data-on]', happened);
  // Nothing can be delegated to a shadow root.
  Live.inside = function (root) {
    $(root.querySelectorAll('[data-on]')).on('click mouseover change input focusout', happened);
  };
})(jQuery);
