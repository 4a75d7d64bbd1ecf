// `helve fleet projects`: what each project of a fleet may do.
import { resolve } from 'node:path';
import type { Database } from '../../fleet/postgres.js';
import { type FleetProject, FleetProjects } from '../../fleet/projects.js';
import { parseRule } from '../../permissions/parse-rule.js';
import { jsonLine } from '../../platform/text/json-line.js';
import { table } from '../../platform/text/table.js';
import { fullyVisible } from '../../platform/text/visible.js';
import { toolTable } from '../../tools/index.js';
import { UsageProblem } from '../usage-problem.js';
import { wholeNumber } from '../whole-number.js';
import { writeLine } from '../write-line.js';

export interface ProjectValues {
  folder?: string[] | undefined;
  repository?: string[] | undefined;
  model?: string[] | undefined;
  deny?: string[] | undefined;
  ask?: string[] | undefined;
  running?: string | undefined;
  'per-day'?: string | undefined;
  priority?: string | undefined;
  json?: boolean | undefined;
}

export async function projects(
  database: Database,
  [action = 'list', name, more]: readonly string[],
  values: ProjectValues,
): Promise<void> {
  const known = new FleetProjects(database);
  if (action === 'list' && name === undefined) return await list(await known.list(), values);
  if ((action !== 'set' && action !== 'remove') || name === undefined || more !== undefined) {
    throw new UsageProblem('Use helve fleet projects list, set NAME, or remove NAME.');
  }
  if (action === 'remove') {
    const wasThere = await known.remove(name);
    if (!wasThere) throw new UsageProblem(`There is no project "${name}". helve fleet projects lists them.`);
    return await writeLine(
      process.stdout,
      `Removed ${fullyVisible(name)}. Its sessions may do what their workers may.`,
    );
  }
  const {
    folder = [],
    repository = [],
    model = [],
    deny = [],
    ask = [],
    running,
    'per-day': perDay,
    priority = '0',
  } = values;
  for (const one of model) checkModel(one);
  for (const rule of deny) checkRule(rule, 'deny');
  for (const rule of ask) checkRule(rule, 'ask');
  if (!/^\d$/.test(priority)) throw new UsageProblem(`--priority takes a number from 0 to 9, but was "${priority}".`);
  await known.set({
    name,
    folders: folder.map((path) => resolve(path)),
    repositories: repository,
    models: model,
    deny,
    ask,
    running: running === undefined ? null : wholeNumber('running', running),
    perDay: perDay === undefined ? null : wholeNumber('per-day', perDay),
    priority: Number(priority),
  });
  await writeLine(process.stdout, `Set ${fullyVisible(name)}. It holds from the next prompt on.`);
}

async function list(all: readonly FleetProject[], { json }: ProjectValues): Promise<void> {
  if (json) {
    for (const project of all) await writeLine(process.stdout, jsonLine(project));
    return;
  }
  if (all.length === 0) {
    await writeLine(process.stderr, 'No project is limited. helve fleet projects set NAME --folder PATH limits one.');
    return;
  }
  const rows = all.map(({ name, folders, repositories, models, deny, ask, running, perDay, priority }) => [
    name,
    String(priority),
    running === null ? '-' : String(running),
    perDay === null ? '-' : String(perDay),
    [...folders, ...repositories].join(' ') || 'any',
    models.join(' ') || 'any',
    [...deny.map((rule) => `deny ${rule}`), ...ask.map((rule) => `ask ${rule}`)].join(', '),
  ]);
  const head = ['NAME', 'PRIORITY', 'RUNNING', 'PER DAY', 'PLACES', 'MODELS', 'RULES'];
  await writeLine(process.stdout, table([head, ...rows].map((row) => row.map(fullyVisible))).join('\n'));
}

/** One without a provider would match none, and keep the project from running. */
function checkModel(model: string): void {
  if (!/^[^/\s]+\/\S+$/.test(model))
    throw new UsageProblem(`--model takes PROVIDER/NAME, such as anthropic/claude-sonnet-4-5, but was "${model}".`);
}

function checkRule(text: string, list: 'deny' | 'ask'): void {
  const anchors = { source: ['/'], project: ['/'], home: ['/'] }; // only its form is checked here
  const { problem } = parseRule(text, { list, source: { file: `--${list}` }, anchors, tools: toolTable() });
  if (problem) throw new UsageProblem(problem.message);
}
