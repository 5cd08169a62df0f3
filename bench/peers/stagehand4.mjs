// Runs Stagehand 4 on the bench pages and prints what it measured as JSON.
//
//   node --experimental-websocket stagehand4.mjs FOLDER CHROMIUM TREES NAME=URL...
//
// FOLDER is where the package was installed, TREES where the trees are put. What
// is measured happens in the extension that its SDKs for other languages use too.
import { pathToFileURL } from 'node:url';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, chromium, trees, ...pages] = process.argv.slice(2);
const { Stagehand, localBrowser } = await import(pathToFileURL(join(folder, 'node_modules/@browserbasehq/stagehand/dist/index.mjs')));

const RUNS = 7;
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

// A model that answers at once: click the first button of the tree, or read the heading.
async function generate({ messages, responseFormat }) {
  const id = /\[(\d+-\d+)\] button/.exec(messages.map((m) => [m.content].flat().map((c) => c.text ?? '').join('')).join('\n'))?.[1];
  const wanted = Object.keys(responseFormat.schema.properties ?? {});
  const known = {
    action: { elementId: id, description: 'a button', method: 'click', arguments: [] },
    twoStep: false, extraction: 'Small shop', completed: true, progress: '',
  };
  const answer = Object.fromEntries(wanted.map((key) => [key, known[key]]));
  return { role: 'assistant', content: { type: 'text', text: JSON.stringify(answer) }, outputFormat: 'json_schema', structuredContent: answer };
}

const browser = await localBrowser.launch({
  executablePath: chromium, headless: true, viewport: { width: 1280, height: 720 }, args: ['--no-sandbox'],
});
const out = { pages: {}, errors: [] };
try {
  const stagehand = await Stagehand.create({ browser, model: { generate }, logging: { level: 'off' } });
  const [page] = await browser.context.pages();

  async function measure(url, runs = RUNS) {
    await page.goto(url, { waitUntil: 'load' });
    await new Promise((r) => setTimeout(r, 500));
    const times = [];
    let snapshot;
    for (let i = 0; i < runs; i++) {
      const began = performance.now();
      snapshot = await page.snapshot();
      times.push(performance.now() - began);
    }
    return { ms: median(times), tree: snapshot.formattedTree };
  }

  async function timed(what, verb) {
    const times = [];
    for (let i = 0; i < RUNS; i++) {
      const began = performance.now();
      try {
        const failed = await verb();
        if (failed) throw new Error(failed);
      } catch (error) {
        out.errors.push(`${what}: ${String(error).slice(0, 200)}`);
        return 0;
      }
      times.push(performance.now() - began);
    }
    return median(times);
  }

  const urls = Object.fromEntries(pages.map((p) => [p.slice(0, p.indexOf('=')), p.slice(p.indexOf('=') + 1)]));
  for (const [name, url] of Object.entries(urls)) {
    try {
      const { ms, tree } = await measure(url);
      out.pages[name] = { ms };
      writeFileSync(join(trees, name + '.txt'), tree);
    } catch (error) {
      out.pages[name] = { error: String(error).slice(0, 200) };
    }
  }
  // The large page once more, after the one with frames. Fewer times: it takes long.
  await measure(urls.frames, 1);
  out.again = (await measure(urls.large, 3)).ms / out.pages.large.ms;

  await page.goto(urls.small, { waitUntil: 'load' });
  const act = async () => {
    const { data } = await stagehand.act('click the first button');
    return !data.success && data.message;
  };
  out.act = await timed('act', act);
  out.extract = await timed('extract', async () => !(await stagehand.extract('the heading')).data.extraction && 'nothing was extracted');
  out.step = await timed('step', async () => {
    await page.snapshot();
    return act();
  });
} finally {
  await browser.close();
}
console.log(JSON.stringify(out));
process.exit(0);
