Forum.show = function (html) {
  document.getElementById('region').innerHTML = html;
};
