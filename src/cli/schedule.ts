import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync, statSync } from 'node:fs';
import { parseCron } from '../agent/schedule/cron.js';
import {
  addSchedule,
  type DueSchedule,
  nextOf,
  noteSchedule,
  readSchedules,
  removeSchedule,
  type Schedule,
  takeDue,
} from '../agent/schedule/schedules.js';
import { projectOf } from '../agent/store/list-sessions.js';
import { dataFolderOf } from '../platform/files/paths.js';
import { messageOf } from '../platform/message-of.js';
import { counted } from '../platform/text/counted.js';
import { jsonText } from '../platform/text/json-line.js';
import { table } from '../platform/text/table.js';
import { visible } from '../platform/text/visible.js';
import { readArgs } from './args.js';
import { SHORT_CHARS } from './background/background-sessions.js';
import { chooseAction } from './choose-action.js';
import { exitCode } from './exit-codes.js';
import { readRunFlags } from './run-flags.js';
import { scheduledArguments } from './schedule/scheduled-arguments.js';
import { UsageProblem } from './usage-problem.js';
import { writeLine } from './write-line.js';

declare const HELVE_VERSION: string; // defined by the build

const commands: Readonly<Record<string, (argv: readonly string[], dataFolder: string) => Promise<number>>> = {
  list,
  add,
  remove,
  run,
};

/** Prompts that run at times of the day or the week. */
export async function schedule(argv: readonly string[]): Promise<number> {
  const [first = 'list', ...rest] = argv[0]?.startsWith('-') ? ['list', ...argv] : argv;
  const command = chooseAction('schedule', first, commands, `There are: ${Object.keys(commands).join(', ')}.`);
  return await command(rest, dataFolderOf());
}

async function add(argv: readonly string[], dataFolder: string): Promise<number> {
  const [line, prompt, ...options] = argv;
  if (line === undefined || prompt === undefined || prompt.trim() === '') {
    throw new UsageProblem('helve schedule add takes a cron line and a prompt: helve schedule add "0 9 * * 1-5" "…".');
  }
  const cron = parseCron(line);
  if ('problem' in cron) throw new UsageProblem(cron.problem);
  const flags = readRunFlags(['-p', ...options, '--', prompt]); // throws for an option that is not one
  if (flags.words.length !== 1)
    throw new UsageProblem('After the prompt, helve schedule add takes only options of helve -p.');
  if (flags.hostInput || flags.resume !== undefined || flags.picksSession) {
    throw new UsageProblem(
      'A scheduled prompt begins a session of its own, without --resume, --continue and --input-format.',
    );
  }
  const added = await addSchedule(dataFolder, { cron: line, prompt, root: realpathSync(process.cwd()), options });
  await writeLine(process.stdout, `Scheduled ${added.id}. ${nextWords(added)}`);
  if (!flags.commandBudget) {
    await writeLine(
      process.stderr,
      'helve: It has no limit of its own. --max-budget-usd sets one, and budget.day in settings limits all of a day.',
    );
  }
  await startHostFor(added, dataFolder);
  return exitCode.ok;
}

/** The host process runs what is due as long as anything is scheduled. */
async function startHostFor(added: Schedule, dataFolder: string): Promise<void> {
  const tell = (sentence: string): void => void process.stderr.write(`helve: ${visible(sentence)}\n`);
  const { checkForHost, whereKeysAre } = await import('./background/due-schedules.js');
  await checkForHost(added, dataFolder).catch((error: unknown) => {
    tell(`It waits until it can start in the background. ${messageOf(error)} ${whereKeysAre}`);
  });
  const { hostPlace } = await import('./background/host-place.js');
  const { withHost } = await import('./background/with-host.js');
  await withHost({ place: hostPlace(dataFolder), version: HELVE_VERSION, tell }, async () => {}).catch(
    (error: unknown) => {
      tell(`It is scheduled, but nothing runs it yet: the host process can't be reached. ${messageOf(error)}`);
    },
  );
}

async function list(argv: readonly string[], dataFolder: string): Promise<number> {
  const { values, positionals } = readArgs(argv, { json: { type: 'boolean' } });
  if (positionals[0] !== undefined)
    throw new UsageProblem(`helve schedule list takes no argument such as "${positionals[0]}".`);
  const schedules = readSchedules(dataFolder);
  const now = new Date();
  if (values.json) {
    const shown = schedules.map((one) => ({
      ...one,
      next: nextOf(one, now)?.toISOString() ?? null,
      state: lastWords(one, dataFolder),
    }));
    await writeLine(process.stdout, jsonText(shown));
  } else if (schedules.length === 0) {
    await writeLine(process.stderr, 'Nothing is scheduled. helve schedule add "0 9 * * 1-5" "…" adds a prompt.');
  } else {
    const rows = schedules.map((one) => [
      one.id,
      one.cron,
      nextWords(one, now),
      one.root,
      one.prompt,
      lastWords(one, dataFolder),
    ]);
    await writeLine(
      process.stdout,
      table(rows.map((row) => row.map((cell) => visible(cell.replaceAll('\n', ' '))))).join('\n'),
    );
  }
  return exitCode.ok;
}

async function remove(argv: readonly string[], dataFolder: string): Promise<number> {
  const { positionals } = readArgs(argv, {});
  if (positionals.length === 0)
    throw new UsageProblem('helve schedule remove takes an id: helve schedule list shows them.');
  let code: number = exitCode.ok;
  for (const id of positionals) {
    if (await removeSchedule(dataFolder, id)) await writeLine(process.stdout, `Removed ${visible(id)}.`);
    else {
      await writeLine(process.stderr, `helve: There is no schedule ${visible(id)}. helve schedule list shows them.`);
      code = exitCode.failed;
    }
  }
  return code;
}

/** Runs what is due now, one after the other. */
async function run(argv: readonly string[], dataFolder: string): Promise<number> {
  readArgs(argv, {});
  const now = new Date(); // what becomes due meanwhile is left to the next call, so that this one ends
  let code: number = exitCode.ok;
  let count = 0;
  for (let due = await takeDue(dataFolder, now); due; due = await takeDue(dataFolder, now)) {
    count += 1;
    const { id } = due.schedule;
    await noteSchedule(dataFolder, id, { last: { outcome: 'started' } });
    const status = await runDue(due);
    if (status === 0) continue;
    code = exitCode.failed;
    await noteSchedule(dataFolder, id, {
      last: { outcome: 'failed', problem: `helve -p ended with the exit status ${status}.` },
    });
  }
  if (count === 0) await writeLine(process.stderr, 'Nothing is due.');
  return code;
}

async function runDue({ schedule: one, missed }: DueSchedule): Promise<number> {
  const late = missed === 0 ? '' : `, ${counted(missed, 'earlier time')} missed`;
  await writeLine(
    process.stderr,
    `helve: ${one.id} in ${visible(one.root)}${late}: ${visible(one.prompt.replaceAll('\n', ' '))}`,
  );
  if (!statSync(one.root, { throwIfNoEntry: false })?.isDirectory()) {
    await writeLine(
      process.stderr,
      `helve: ${one.id} was not run: its folder ${visible(one.root)} is not there any more. helve schedule remove ${one.id} removes it.`,
    );
    return exitCode.failed;
  }
  const [, program = ''] = process.argv;
  try {
    const child = spawn(process.execPath, [program, ...scheduledArguments(one)], {
      cwd: one.root,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const [code] = await once(child, 'close');
    return typeof code === 'number' ? code : exitCode.failed;
  } catch (error) {
    await writeLine(
      process.stderr,
      `helve: ${one.id} could not be started: ${error instanceof Error ? error.message : String(error)}`,
    );
    return exitCode.failed;
  }
}

/** What came of the last time, or why the next one waits; empty if there is nothing to say. */
function lastWords({ last, held, taken = '' }: Schedule, dataFolder: string): string {
  if (held !== undefined) return `waits: ${held}`;
  if (!last) return '';
  const time = new Date(taken).toLocaleString('sv');
  const session = last.session === undefined ? '' : ` as session ${last.session.slice(0, SHORT_CHARS)}`;
  if (last.outcome === 'failed') return `failed at ${time}: ${last.problem ?? 'no reason is known'}`;
  const hasStarted = last.session !== undefined && projectOf(dataFolder, last.session) !== undefined;
  if (last.outcome === 'started' || hasStarted) return `started at ${time}${session}`;
  return `missed at ${time}: the process that took it ended before it started the prompt, so it does not run`;
}

function nextWords(one: Schedule, now = new Date()): string {
  const next = nextOf(one, now);
  if (!next) return 'never';
  return next <= now ? 'due now' : `next ${next.toLocaleString('sv')}`;
}
