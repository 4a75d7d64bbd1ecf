// `helve fleet schedule`: prompts that run at times of the day or the week, on whichever worker has room.
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import type { Database } from '../../fleet/postgres.js';
import { assertPlace, FleetProjects } from '../../fleet/projects.js';
import { FleetSchedules } from '../../fleet/schedules.js';
import type { Seal } from '../../fleet/store/seal.js';
import { jsonLine } from '../../platform/text/json-line.js';
import { table } from '../../platform/text/table.js';
import { fullyVisible } from '../../platform/text/visible.js';
import { UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';
import { type PlaceValues, projectName, repositoryOf } from './session-place.js';

const USAGE = 'Use helve fleet schedule add "CRON" "PROMPT", list, or remove ID.';

export interface ScheduleValues extends PlaceValues {
  project?: string | undefined;
  priority?: string | undefined;
  json?: boolean | undefined;
}

export async function schedule(
  database: Database,
  seal: Seal | undefined,
  [action = 'list', ...words]: readonly string[],
  values: ScheduleValues,
): Promise<void> {
  const schedules = new FleetSchedules(database, seal);
  const [first, second, more] = words;
  if (action === 'list' && first === undefined) return await list(schedules, values);
  if (action === 'remove' && first !== undefined && second === undefined) {
    if (await schedules.remove(first)) return await writeLine(process.stdout, `Removed ${fullyVisible(first)}.`);
    throw new UsageProblem(`There is no schedule "${first}". helve fleet schedule list shows them.`);
  }
  if (action !== 'add' || first === undefined || second === undefined || more !== undefined || second.trim() === '') {
    throw new UsageProblem(USAGE);
  }
  const { priority } = values;
  if (priority !== undefined && !/^\d$/.test(priority))
    throw new UsageProblem(`--priority takes a number from 0 to 9, but was "${priority}".`);
  const repository = repositoryOf(values);
  const root = repository ? '' : resolve(values.root ?? process.cwd());
  const project = values.project ?? projectName(repository?.url ?? root);
  const known = await new FleetProjects(database).get(project);
  assertPlace(known, { root, repository });
  const id = await schedules.add({
    project,
    root,
    repository,
    cron: first,
    prompt: second,
    priority: priority === undefined ? (known?.priority ?? 0) : Number(priority),
    actor: userInfo().username,
  });
  await writeLine(process.stdout, id);
}

async function list(schedules: FleetSchedules, { json }: ScheduleValues): Promise<void> {
  const all = await schedules.list();
  if (json) {
    for (const one of all) await writeLine(process.stdout, jsonLine(one));
    return;
  }
  const rows = all.map(({ id, cron, project, nextAt, lastAt, title }) => [
    id,
    cron,
    project,
    nextAt.toISOString(),
    lastAt?.toISOString() ?? '-',
    title,
  ]);
  const head = ['ID', 'CRON (UTC)', 'PROJECT', 'NEXT', 'LAST', 'PROMPT'];
  await writeLine(process.stdout, table([head, ...rows].map((row) => row.map(fullyVisible))).join('\n'));
}
