/*
title: Icon and analytics are missing
kind: trap

The favicon and an analytics script answer 404, what it would have counted is refused, and it complains about that.
*/
if (self.window && window === window.top) {
  document.addEventListener('DOMContentLoaded', () => {
    const icon = document.createElement('link');
    icon.rel = 'icon';
    icon.href = './~absent/favicon.ico';
    const script = document.createElement('script');
    script.async = true;
    // Port 9 discards: nobody listens there.
    script.src = fault.seed % 2 ? './~absent/analytics.js' : 'http://127.0.0.1:9/analytics.js';
    script.onerror = () => console.error('analytics could not be loaded');
    document.head.append(icon, script);
    const report = () => fetch('./~absent/collect?n=' + Math.round(performance.now())).then((r) => { if (!r.ok) console.error('collect answered ' + r.status); });
    report();
    setInterval(report, fault.pick(1500, 4000));
    if (fault.seed % 3 === 0) Promise.reject(new Error('analytics: no consent'));
  });
}
