addEventListener('install', (e) => e.waitUntil(skipWaiting()));
addEventListener('activate', (e) => e.waitUntil(clients.claim()));
addEventListener('fetch', (e) => {
  if (!e.request.url.endsWith('from-the-worker.js')) return;
  e.respondWith(fetch('game.js').then((r) => r.text()).then((text) => new Response(text, { headers: { 'Content-Type': 'text/javascript' } })));
});
