// Threads go on when their end comes into view, lists when the button is clicked.
(() => {
  const net = document.getElementById('net');
  const haul = document.getElementById('haul');
  const reef = document.getElementById('reef');
  const depth = document.getElementById('depth');

  let hauling = false;
  const more = async (from) => {
    if (hauling) return;
    hauling = true;
    const answer = await (await fetch(from.dataset.more)).json();
    net.insertAdjacentHTML('beforeend', answer.html);
    hauling = false;
    if (answer.range) depth.textContent = answer.range;
    if (!answer.next) return from.remove();
    from.dataset.more = answer.next;
  };

  if (haul) haul.addEventListener('click', () => more(haul));
  if (reef) {
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      seen.disconnect();
      more(reef).then(() => reef.isConnected && seen.observe(reef));
    });
    seen.observe(reef);
  }
  document.addEventListener('click', (event) => {
    const pull = event.target.closest('.pull');
    if (pull) fetch('/act/' + pull.dataset.act, { method: 'POST', body: 'w=' + pull.dataset.of });
  });
})();
