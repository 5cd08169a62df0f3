// Has Stagehand carry out the tasks of bench/tasks, with a model that knows them,
// and prints which were done as JSON. What this program does not try, files and a
// second context, is said to be untried and counts for nothing.
//
//   node [--experimental-websocket] tasks.mjs VERSION FOLDER CHROMIUM BASE TASKS VARIABLES
//
// VERSION is 3 or 4, FOLDER where the package was installed, BASE where the sites
// are; TASKS is a file, and VARIABLES are JSON.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [version, folder, chromium, base, file, given] = process.argv.slice(2);
const tasks = JSON.parse(readFileSync(file, 'utf8')), variables = JSON.parse(given);
const LIMIT = 20_000; // for one task
const window = { width: 1280, height: 720 };

const quote = (s) => s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

let step = null; // that is being carried out
let read = []; // out of the page so far

// The model: it knows what the step wants and has to find it in the tree.
function answer(text) {
  if (step.find) {
    const found = new RegExp(step.find).exec(text)?.[1] ?? '';
    if (found) read.push(found);
    return { extraction: found, completed: true, progress: '' };
  }
  const lines = [...text.matchAll(new RegExp(`\\[(\\d+-\\d+)\\] (?:${step.role === 'painted' ? '[A-Za-z]+' : step.role}): ${quote(step.name)}(?:\\n|$)`, 'g'))];
  const id = lines[step.nth ?? 0]?.[1];
  if (!id) throw new Error(`${step.role} ${step.name} is not in the tree`);
  const element = { elementId: id, description: step.say, method: step.method, arguments: step.args ?? [] };
  return { ...element, action: element, elements: [element], twoStep: false };
}

const texts = (messages) => messages.map((m) => typeof m.content === 'string' ? m.content : [m.content].flat().map((p) => p.text ?? '').join('')).join('\n');

async function three() {
  const require = createRequire(join(folder, 'package.json'));
  const entry = require.resolve('@browserbasehq/stagehand').replace('/cjs/', '/esm/');
  const { Stagehand, LLMClient } = await import(pathToFileURL(entry));
  class Script extends LLMClient {
    constructor() { super('script'); this.type = 'script'; this.hasVision = false; }
    async createChatCompletion({ options }) {
      return { data: answer(texts(options.messages)), usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } };
    }
  }
  const stagehand = new Stagehand({
    env: 'LOCAL', verbose: 0, disablePino: true, logger: () => {}, llmClient: new Script(),
    localBrowserLaunchOptions: { executablePath: chromium, headless: true, viewport: window, args: ['--no-sandbox'] },
  });
  await stagehand.init();
  return {
    open: async (url) => (await stagehand.context.newPage()).goto(url, { waitUntil: 'load' }),
    act: async (say) => {
      const result = await stagehand.act(say, { variables });
      if (result?.success === false) throw new Error(result.message);
    },
    extract: (say) => stagehand.extract(say),
    last: async () => stagehand.context.pages().at(-1),
    close: () => stagehand.close(),
  };
}

async function four() {
  const { Stagehand, localBrowser } = await import(pathToFileURL(join(folder, 'node_modules/@browserbasehq/stagehand/dist/index.mjs')));
  const browser = await localBrowser.launch({ executablePath: chromium, headless: true, viewport: window, args: ['--no-sandbox'] });
  let failed = null; // the model's own error, which does not come through as it is
  const generate = async ({ messages, responseFormat }) => {
    try {
      const all = answer(texts(messages));
      const wanted = Object.keys(responseFormat.schema.properties ?? {});
      const content = Object.fromEntries(wanted.map((key) => [key, all[key]]));
      return { role: 'assistant', content: { type: 'text', text: JSON.stringify(content) }, outputFormat: 'json_schema', structuredContent: content };
    } catch (error) {
      failed = error;
      throw error;
    }
  };
  const stagehand = await Stagehand.create({ browser, model: { generate }, logging: { level: 'off' } });
  const own = async (call) => {
    failed = null;
    try {
      return await call();
    } catch (error) {
      throw failed ?? error;
    }
  };
  return {
    open: async (url) => {
      const page = await browser.context.newPage();
      await browser.context.setActivePage(page);
      await page.goto(url, { waitUntil: 'load' });
    },
    act: (say) => own(async () => {
      const { data } = await stagehand.act(say, { variables });
      if (!data.success) throw failed ?? new Error(data.message);
    }),
    extract: (say) => own(() => stagehand.extract(say)),
    last: async () => (await browser.context.pages()).at(-1),
    close: () => browser.close(),
  };
}

const program = version === '4' ? await four() : await three();

async function run(task) {
  read = [];
  await program.open(base + task.path);
  for (step of task.steps) {
    await (step.find ? program.extract(step.say) : program.act(step.say));
    await new Promise((r) => setTimeout(r, 200));
  }
  const wants = task.steps.filter((s) => s.find).map((s) => s.want);
  for (const [i, want] of wants.entries()) if (read[i] !== want) throw new Error(`${JSON.stringify(read)} was read, want ${want}`);
  if (task.done && !await (await program.last()).evaluate(task.done)) throw new Error(`${task.done} does not hold`);
}

const out = {};
for (const task of tasks) {
  if (task.download || task.steps.some((s) => s.restart || s.method === 'upload')) {
    out[task.name] = 'untried';
    continue;
  }
  const late = new Promise((_, fail) => setTimeout(() => fail(new Error('it took too long')), LIMIT));
  late.catch(() => {});
  try {
    await Promise.race([run(task), late]);
    out[task.name] = '';
  } catch (error) {
    out[task.name] = String(error?.message ?? error).split('\n')[0].slice(0, 150);
  }
}
console.log(JSON.stringify(out));
await program.close();
process.exit(0);
