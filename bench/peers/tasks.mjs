// Has Stagehand 3 carry out the tasks of bench/tasks, with a model that knows them,
// and prints which were done as JSON. What this program does not try, files and a
// second context, is said to be untried and counts for nothing.
//
//   node tasks.mjs FOLDER CHROMIUM BASE TASKS VARIABLES
//
// FOLDER is where the package was installed, BASE where the sites are; TASKS is a
// file, and VARIABLES are JSON.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, chromium, base, file, given] = process.argv.slice(2);
const require = createRequire(join(folder, 'package.json'));
const entry = require.resolve('@browserbasehq/stagehand').replace('/cjs/', '/esm/');
const { Stagehand, LLMClient } = await import(pathToFileURL(entry));
const tasks = JSON.parse(readFileSync(file, 'utf8')), variables = JSON.parse(given);
const LIMIT = 20_000; // for one task

const quote = (s) => s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

// A model that knows what the step wants and has to find it in the tree.
class Script extends LLMClient {
  constructor() { super('script'); this.type = 'script'; this.hasVision = false; this.step = null; this.read = []; }
  async createChatCompletion({ options }) {
    const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    const text = options.messages.map((m) => typeof m.content === 'string' ? m.content : m.content.map((p) => p.text ?? '').join('')).join('\n');
    const s = this.step;
    if (s.find) {
      const found = new RegExp(s.find).exec(text)?.[1] ?? '';
      if (found) this.read.push(found);
      return { data: { extraction: found, completed: true, progress: '' }, usage };
    }
    const lines = [...text.matchAll(new RegExp(`\\[(\\d+-\\d+)\\] (?:${s.role === 'painted' ? '[A-Za-z]+' : s.role}): ${quote(s.name)}(?:\\n|$)`, 'g'))];
    const id = lines[s.nth ?? 0]?.[1];
    if (!id) throw new Error(`${s.role} ${s.name} is not in the tree`);
    const element = { elementId: id, description: s.say, method: s.method, arguments: s.args ?? [] };
    return { data: { ...element, action: element, elements: [element], twoStep: false }, usage };
  }
}

const llm = new Script();
const stagehand = new Stagehand({
  env: 'LOCAL', verbose: 0, disablePino: true, logger: () => {}, llmClient: llm,
  localBrowserLaunchOptions: { executablePath: chromium, headless: true, viewport: { width: 1280, height: 720 }, args: ['--no-sandbox'] },
});
await stagehand.init();

async function run(task) {
  const page = await stagehand.context.newPage();
  llm.read = [];
  await page.goto(base + task.path, { waitUntil: 'load' });
  for (const step of task.steps) {
    llm.step = step;
    if (step.find) {
      await stagehand.extract(step.say);
    } else {
      const result = await stagehand.act(step.say, { variables });
      if (result?.success === false) throw new Error(result.message);
    }
    await new Promise((r) => setTimeout(r, 200));
  }
  const wants = task.steps.filter((s) => s.find).map((s) => s.want);
  for (const [i, want] of wants.entries()) if (llm.read[i] !== want) throw new Error(`${JSON.stringify(llm.read)} was read, want ${want}`);
  if (task.done) {
    const last = stagehand.context.pages().at(-1);
    if (!await last.evaluate(task.done)) throw new Error(`${task.done} does not hold`);
  }
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
await stagehand.close();
process.exit(0);
