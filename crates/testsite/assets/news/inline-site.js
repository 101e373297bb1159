function openMenu(li) { li.className = 'nav-more open'; }
function closeMenu(li) { li.className = 'nav-more'; }
function showLogin() { document.getElementById('login-box').style.display = 'block'; }
function hideLogin() { document.getElementById('login-box').style.display = 'none'; }

function rankTab(n) {
  var tabs = document.querySelectorAll('.tabs .tab'), lists = document.querySelectorAll('ol.rank');
  for (var i = 0; i < tabs.length; i++) {
    tabs[i].className = i === n ? 'tab on' : 'tab';
    lists[i].className = i === n ? 'rank on' : 'rank';
  }
}

function fontSize(size) {
  var text = document.getElementById('text');
  if (text) text.style.fontSize = { s: '13px', m: '15px', l: '18px' }[size];
}

function toggleShare(node) {
  var share = node.parentNode;
  share.className = share.className === 'share' ? 'share open' : 'share';
}

function vote(form) {
  var choice = form.querySelector('input:checked');
  if (!choice) return;
  var xhr = new XMLHttpRequest();
  xhr.open('POST', '/poll', true);
  xhr.setRequestHeader('Content-Type', 'application/x-www-form-urlencoded');
  xhr.send('choice=' + choice.value);
}
