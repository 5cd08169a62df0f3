// Runs Stagehand 3 on the bench pages and prints what it measured as JSON.
//
//   node stagehand3.mjs FOLDER CHROMIUM TREES NAME=URL...
//
// FOLDER is where the package was installed, TREES where the trees are put.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, chromium, trees, ...pages] = process.argv.slice(2);
const require = createRequire(join(folder, 'package.json'));
const entry = require.resolve('@browserbasehq/stagehand').replace('/cjs/', '/esm/');
const { Stagehand, LLMClient } = await import(pathToFileURL(entry));
const { captureHybridSnapshot } = await import(pathToFileURL(entry.replace(/index\.js$/, 'lib/v3/understudy/a11y/snapshot/index.js')));

const RUNS = 7;
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

// A model that answers at once: click the first button of the tree, or read the heading.
class Instant extends LLMClient {
  constructor() { super('instant'); this.type = 'instant'; this.hasVision = false; this.spent = 0; }
  async createChatCompletion({ options }) {
    const text = options.messages.map((m) => typeof m.content === 'string' ? m.content : m.content.map((p) => p.text ?? '').join('')).join('\n');
    const id = /\[(\d+-\d+)\] button/.exec(text)?.[1];
    const element = { elementId: id, description: 'a button', method: 'click', arguments: [] };
    return { data: { ...element, action: element, elements: [element], twoStep: false, extraction: 'Small shop', completed: true, progress: '' }, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } };
  }
}

const stagehand = new Stagehand({
  env: 'LOCAL', verbose: 0, disablePino: true, logger: () => {}, llmClient: new Instant(),
  localBrowserLaunchOptions: { executablePath: chromium, headless: true, viewport: { width: 1280, height: 720 }, args: ['--no-sandbox'] },
});
await stagehand.init();
const page = stagehand.context.pages()[0];
const out = { pages: {}, errors: [] };

async function measure(url, runs = RUNS) {
  await page.goto(url, { waitUntil: 'load' });
  await new Promise((r) => setTimeout(r, 500));
  const times = [];
  let snapshot;
  for (let i = 0; i < runs; i++) {
    const began = performance.now();
    snapshot = await captureHybridSnapshot(page, {});
    times.push(performance.now() - began);
  }
  return { ms: median(times), tree: snapshot.combinedTree };
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

await page.goto(urls.small, { waitUntil: 'load' });
out.act = await timed('act', async () => {
  const result = await stagehand.act('click the first button');
  return result?.success === false && result.message;
});
out.extract = await timed('extract', async () => {
  const result = await stagehand.extract('the heading');
  return !result?.extraction && 'nothing was extracted';
});
console.log(JSON.stringify(out));
await stagehand.close();
process.exit(0);
