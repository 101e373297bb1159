(function () {
  'use strict';
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const on = (selector, type, handler) => all(selector).forEach((node) => node.addEventListener(type, handler));
  const login = document.getElementById('login-box');

  on('.nav-more', 'mouseover', (e) => e.currentTarget.classList.add('open'));
  on('.nav-more', 'mouseout', (e) => e.currentTarget.classList.remove('open'));
  on('.js-login', 'click', (e) => { e.preventDefault(); login.style.display = 'block'; });
  on('.js-close', 'click', () => { login.style.display = 'none'; });
  on('.js-print', 'click', () => window.print());
  on('.js-share', 'click', (e) => e.currentTarget.parentNode.classList.toggle('open'));
  on('.js-font', 'click', (e) => {
    const text = document.getElementById('text');
    if (text) text.style.fontSize = { s: '13px', m: '15px', l: '18px' }[e.currentTarget.dataset.size];
  });
  on('.js-vote', 'click', (e) => {
    e.preventDefault();
    const choice = e.currentTarget.form.querySelector('input:checked');
    if (choice) fetch('/poll', { method: 'POST', body: new URLSearchParams({ choice: choice.value }) });
  });

  const tabs = all('.tabs .tab');
  const lists = all('ol.rank');
  tabs.forEach((tab, n) => tab.addEventListener('mouseover', () => {
    tabs.forEach((other, i) => other.classList.toggle('on', i === n));
    lists.forEach((list, i) => list.classList.toggle('on', i === n));
  }));
})();
