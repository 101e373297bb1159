//! Scripts that mean harm: to the tab, to the browser, and to whoever looks into the page.

use axum::Router;
use axum::routing::get;

use super::{Attack, page};
use crate::html;

/// What the service worker answers to every request that it catches. No page of the truth shows it.
const WORKER: &str = "
self.addEventListener('install', function () { self.skipWaiting(); });
self.addEventListener('activate', function (event) { event.waitUntil(self.clients.claim()); });
self.addEventListener('fetch', function (event) {
  event.respondWith(new Response('<p>Hijacked by the worker.</p>', { headers: { 'Content-Type': 'text/html' } }));
});
";

pub(super) fn attacks() -> Vec<Attack> {
    SCRIPTS
        .iter()
        .map(|(family, name, about, rest)| {
            Attack::new(family, name, about, get(async || page(name, rest)))
        })
        .collect()
}

pub(super) fn router() -> Router {
    Router::new()
        .route("/worker.js", get(async || html::file("text/javascript", WORKER.as_bytes())))
}

/// Family, name, what it does, and what follows the marker.
const SCRIPTS: &[(&str, &str, &str, &str)] = &[
    (
        "hang",
        "loop-load",
        "an endless loop while the page loads",
        "<script>while (true) {}</script>",
    ),
    (
        "hang",
        "loop-later",
        "an endless loop after a second",
        "<script>setTimeout(function () { while (true) {} }, 1000);</script>",
    ),
    (
        "hang",
        "loop-click",
        "an endless loop in a click handler",
        r#"<button onclick="while (true) {}">Press</button>"#,
    ),
    (
        "hang",
        "loop-mutation",
        "an observer that feeds itself",
        "<script>new MutationObserver(function () { document.body.appendChild(document.createElement('i')); }).observe(document.body, { childList: true }); document.body.appendChild(document.createElement('i'));</script>",
    ),
    (
        "hang",
        "microtasks",
        "promises without end",
        "<script>(function again() { Promise.resolve().then(again); })();</script>",
    ),
    (
        "hang",
        "regex",
        "a regular expression that backtracks for ever",
        "<script>setTimeout(function () { /^(a+)+$/.test('a'.repeat(60) + 'b'); }, 10);</script>",
    ),
    (
        "hang",
        "sync-request",
        "a synchronous request that is never answered",
        "<script>setTimeout(function () { var r = new XMLHttpRequest(); r.open('GET', '/endless/silence', false); r.send(); }, 10);</script>",
    ),
    (
        "hang",
        "timers",
        "timers that breed",
        "<script>setInterval(function () { document.title = Date.now(); }, 0); (function again() { setTimeout(again, 0); })();</script>",
    ),
    (
        "hang",
        "frames-chain",
        "animation frames without end",
        "<p id=n>0</p><script>(function again() { document.getElementById('n').textContent++; requestAnimationFrame(again); })();</script>",
    ),
    (
        "hang",
        "getter",
        "an element whose property never returns",
        "<div id=trap>end</div><script>Object.defineProperty(document.getElementById('trap'), 'textContent', { get: function () { while (true) {} } });</script>",
    ),
    (
        "dialog",
        "alert-loop",
        "alerts without end",
        "<script>while (true) alert('Again!');</script>",
    ),
    (
        "dialog",
        "dialogs",
        "every kind of question, on load and on click",
        r#"<script>alert('a'); confirm('b'); prompt('c', 'd'); onbeforeunload = function (e) { e.preventDefault(); return 'Stay?'; };</script><button onclick="while (!confirm('Sure?')) {}">Ask</button>"#,
    ),
    (
        "dialog",
        "print",
        "the print dialog, again and again",
        "<script>setInterval(print, 100);</script>",
    ),
    (
        "dialog",
        "permissions",
        "every permission at once",
        "<script>try { Notification.requestPermission(); navigator.geolocation.getCurrentPosition(function () {}); navigator.mediaDevices.getUserMedia({ audio: true, video: true }).catch(function () {}); navigator.clipboard.readText().catch(function () {}); } catch (e) {}</script>",
    ),
    (
        "dialog",
        "fullscreen",
        "full screen and pointer lock on click",
        r#"<button onclick="document.documentElement.requestFullscreen(); document.body.requestPointerLock();">Enter</button>"#,
    ),
    (
        "window",
        "close",
        "a window that closes itself, on load and on click",
        r#"<script>window.close(); setTimeout(function () { open('', '_self').close(); }, 50);</script><button onclick="window.close()">Close</button>"#,
    ),
    (
        "window",
        "push-state",
        "history without end",
        "<script>var n = 0; setInterval(function () { for (var i = 0; i < 50; i++) history.pushState({}, '', '?n=' + n++); }, 1);</script>",
    ),
    (
        "window",
        "hash-spam",
        "a fragment that never rests",
        "<script>var n = 0; setInterval(function () { location.hash = n++; }, 1);</script>",
    ),
    (
        "window",
        "popups",
        "hundreds of windows, on load and on click",
        r#"<script>function storm() { for (var i = 0; i < 300; i++) window.open('/safe?popup=' + i, '_blank'); } storm();</script><button onclick="storm()">More</button>"#,
    ),
    (
        "window",
        "download",
        "downloads without end, on load and on click",
        r#"<a id=d href="/endless/download.bin" download>Free</a><script>document.getElementById('d').click(); location.href = '/endless/download.bin';</script>"#,
    ),
    (
        "window",
        "back",
        "a page that cannot be stayed on",
        "<script>setTimeout(function () { history.back(); }, 20);</script>",
    ),
    (
        "window",
        "frame-in-frame",
        "a page that frames itself, ever anew",
        "<script>var f = document.createElement('iframe'); f.src = '?n=' + Math.random(); document.body.appendChild(f);</script>",
    ),
    (
        "window",
        "protocols",
        "links to programs outside the browser",
        r#"<a href="intent://scan/#Intent;end">App</a><a href="chrome://crash">Crash</a><a href="about:blank#blocked">Blank</a><script>setTimeout(function () { location.href = 'mailto:a@b.example'; }, 20);</script>"#,
    ),
    (
        "stream",
        "fetch-stream",
        "a request whose answer never ends",
        "<script>fetch('/endless/bytes').then(function (a) { return a.text(); });</script>",
    ),
    (
        "stream",
        "event-source",
        "a stream of events",
        "<p id=n></p><script>new EventSource('/endless/events').onmessage = function (e) { document.getElementById('n').textContent += e.data; };</script>",
    ),
    (
        "stream",
        "web-socket",
        "a socket whose handshake is never answered",
        "<script>new WebSocket('ws://' + location.host + '/endless/silence');</script>",
    ),
    (
        "stream",
        "long-poll",
        "requests that wait for ever, a hundred of them",
        "<script>for (var i = 0; i < 100; i++) fetch('/endless/silence?' + i).catch(function () {});</script>",
    ),
    (
        "stream",
        "request-storm",
        "a request every millisecond",
        "<script>var n = 0; setInterval(function () { fetch('/safe?storm=' + n++).catch(function () {}); }, 1);</script>",
    ),
    (
        "memory",
        "million-nodes",
        "a million elements made by a script",
        "<div id=box></div><script>setTimeout(function () { var f = document.createDocumentFragment(); for (var i = 0; i < 1000000; i++) { f.appendChild(document.createElement('b')).textContent = i; } document.getElementById('box').appendChild(f); }, 10);</script>",
    ),
    (
        "memory",
        "growing-nodes",
        "elements without end",
        "<script>setInterval(function () { for (var i = 0; i < 1000; i++) document.body.appendChild(document.createElement('p')).textContent = Math.random(); }, 1);</script>",
    ),
    (
        "memory",
        "array",
        "an array that grows without end",
        "<script>var hog = []; setInterval(function () { hog.push(new Float64Array(4 << 20).fill(1)); }, 1);</script>",
    ),
    (
        "memory",
        "string",
        "a string that doubles",
        "<script>var s = 'x'; setInterval(function () { if (s.length < 400e6) s += s; document.body.title = s; }, 1);</script>",
    ),
    (
        "memory",
        "write-loop",
        "a document that writes itself ever anew",
        "<script>var n = 0; function again() { document.open(); document.write('<p>Written ' + n++ + '</p>'); setTimeout(again, 1); } setTimeout(again, 50);</script>",
    ),
    (
        "memory",
        "script-title",
        "a title of 40 MB made by a script",
        "<script>document.title = 'title '.repeat(7e6);</script>",
    ),
    (
        "memory",
        "deep-shadow",
        "two thousand nested shadow roots",
        "<div id=host></div><script>var at = document.getElementById('host'); for (var i = 0; i < 2000; i++) { at = at.attachShadow({ mode: i % 2 ? 'open' : 'closed' }).appendChild(document.createElement('div')); } at.textContent = 'deep';</script>",
    ),
    (
        "memory",
        "deep-nodes",
        "fifty thousand nested elements made by a script",
        "<script>var at = document.body; for (var i = 0; i < 50000; i++) at = at.appendChild(document.createElement('div')); at.textContent = 'deep';</script>",
    ),
    (
        "memory",
        "listeners",
        "a million listeners on one element",
        "<button id=b>Press</button><script>var b = document.getElementById('b'); for (var i = 0; i < 1000000; i++) (function (i) { b.addEventListener('click', function () { window.last = i; }); })(i);</script>",
    ),
    (
        "memory",
        "attributes-script",
        "a hundred thousand attributes made by a script",
        "<p id=p></p><script>var p = document.getElementById('p'); for (var i = 0; i < 100000; i++) p.setAttribute('a' + i, i);</script>",
    ),
    (
        "memory",
        "canvas",
        "canvases as large as they come",
        "<script>for (var i = 0; i < 50; i++) { var c = document.createElement('canvas'); c.width = c.height = 16384; c.getContext('2d').fillRect(0, 0, 9, 9); document.body.appendChild(c); }</script>",
    ),
    (
        "memory",
        "storage",
        "storage filled to the brim",
        "<script>try { for (var i = 0; ; i++) localStorage['k' + i] = 'x'.repeat(100000); } catch (e) {}</script>",
    ),
    (
        "memory",
        "console",
        "a console that never stops",
        "<script>setInterval(function () { for (var i = 0; i < 1000; i++) console.error('x'.repeat(1000), document.body); }, 1);</script>",
    ),
    (
        "text",
        "surrogates",
        "half characters in text and attributes",
        "<p id=s></p><script>var s = document.getElementById('s'); s.textContent = 'a\\ud800b\\udc00c\\udfff'; s.title = '\\ud83d'; s.setAttribute('data-x', '\\udc00');</script>",
    ),
    (
        "text",
        "strange-text",
        "NULs, controls and marks that turn text around",
        "<p id=s></p><script>document.getElementById('s').textContent = '\\0\\u0001\\u202e\\u2066\\ufeff\\uffff' + 'e\\u0301'.repeat(1000) + '\\u0300'.repeat(10000);</script>",
    ),
    (
        "text",
        "strange-names",
        "element names that no parser would make",
        "<script>['x\\u{1f600}', 'a:b:c', '\\u00e9l\\u00e9ment', 'x-' + 'y'.repeat(100000)].forEach(function (n) { try { document.body.appendChild(document.createElementNS('urn:x', n)).textContent = 'named'; } catch (e) {} });</script>",
    ),
    (
        "worker",
        "service-worker",
        "a worker that answers every later request of the site",
        "<script>if (navigator.serviceWorker) navigator.serviceWorker.register('/worker.js', { scope: '/' });</script>",
    ),
    (
        "worker",
        "workers",
        "fifty workers that run hot",
        "<script>var u = URL.createObjectURL(new Blob(['while (true) {}'])); for (var i = 0; i < 50; i++) new Worker(u);</script>",
    ),
    (
        "tamper",
        "tamper-array",
        "arrays that throw and lie",
        "<script>['push', 'map', 'filter', 'forEach', 'join', 'slice', 'indexOf', 'concat'].forEach(function (n) { Array.prototype[n] = function () { throw new Error('no ' + n); }; }); Array.prototype[Symbol.iterator] = function () { throw new Error('no'); }; Array.from = function () { return []; };</script>",
    ),
    (
        "tamper",
        "tamper-json",
        "JSON that lies",
        "<script>JSON.stringify = function () { return '{\"hijacked\":true}'; }; JSON.parse = function () { throw new Error('no'); }; String.prototype.toJSON = Object.prototype.toJSON = function () { return 'hijacked'; };</script>",
    ),
    (
        "tamper",
        "tamper-object",
        "objects that throw and lie",
        "<script>Object.keys = Object.entries = Object.assign = function () { throw new Error('no'); }; Object.defineProperty(Object.prototype, 'value', { get: function () { throw new Error('no'); } }); Object.defineProperty(Object.prototype, 'then', { get: function () { while (0) {} } }); Function.prototype.call = Function.prototype.apply = function () { throw new Error('no'); };</script>",
    ),
    (
        "tamper",
        "tamper-dom",
        "elements that lie about themselves",
        "<p class=honest>Honest text.</p><script>Element.prototype.getAttribute = function () { return 'hijacked'; }; Element.prototype.getAttributeNames = function () { return ['hijacked']; }; ['textContent', 'nodeType', 'nodeName', 'childNodes', 'firstChild', 'nextSibling', 'parentNode'].forEach(function (n) { Object.defineProperty(Node.prototype, n, { get: function () { return null; } }); }); Document.prototype.querySelectorAll = Document.prototype.createTreeWalker = function () { return []; };</script>",
    ),
    (
        "tamper",
        "tamper-clobber",
        "elements that hide the document's own properties",
        "<form name=body><input name=attributes><input name=childNodes><input name=nodeName></form><img name=querySelectorAll><img name=documentElement><img name=createTreeWalker><a id=location></a><a id=JSON></a>",
    ),
    (
        "tamper",
        "tamper-events",
        "events that cannot be listened to or fired",
        "<button>Press</button><script>EventTarget.prototype.addEventListener = EventTarget.prototype.dispatchEvent = HTMLElement.prototype.click = function () { throw new Error('no'); }; addEventListener = 1; window.Event = window.MouseEvent = null; window.setTimeout = window.requestAnimationFrame = window.fetch = null; window.Promise = null;</script>",
    ),
    (
        "tamper",
        "tamper-proxy",
        "a window and a document that watch who asks",
        "<script>var log = []; ['__bathys', 'cdc', 'callPhantom', 'webdriver'].forEach(function (n) { Object.defineProperty(window, n, { get: function () { location.href = '/safe?caught=' + n; }, configurable: true }); }); Object.freeze(Element.prototype); Object.seal(document);</script>",
    ),
];
