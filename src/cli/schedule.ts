import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync, statSync } from 'node:fs';
import { parseCron } from '../agent/schedule/cron.js';
import {
  addSchedule,
  type DueSchedule,
  nextOf,
  readSchedules,
  removeSchedule,
  type Schedule,
  takeDue,
} from '../agent/schedule/schedules.js';
import { dataFolderOf } from '../platform/files/paths.js';
import { counted } from '../platform/text/counted.js';
import { jsonText } from '../platform/text/json-line.js';
import { table } from '../platform/text/table.js';
import { visible } from '../platform/text/visible.js';
import { readArgs } from './args.js';
import { chooseAction } from './choose-action.js';
import { exitCode } from './exit-codes.js';
import { readRunFlags } from './run-flags.js';
import { scheduledArguments } from './schedule/scheduled-arguments.js';
import { UsageProblem } from './usage-problem.js';
import { writeLine } from './write-line.js';

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
  if (readSchedules(dataFolder).every(({ taken }) => taken === undefined)) {
    await writeLine(
      process.stderr,
      'helve: It runs when "helve schedule run" is called, as from cron, a systemd timer or launchd every minute.',
    );
  }
  if (!flags.commandBudget) {
    await writeLine(
      process.stderr,
      'helve: It has no limit of its own. --max-budget-usd sets one, and budget.day in settings limits all of a day.',
    );
  }
  return exitCode.ok;
}

async function list(argv: readonly string[], dataFolder: string): Promise<number> {
  const { values, positionals } = readArgs(argv, { json: { type: 'boolean' } });
  if (positionals[0] !== undefined)
    throw new UsageProblem(`helve schedule list takes no argument such as "${positionals[0]}".`);
  const schedules = readSchedules(dataFolder);
  const now = new Date();
  if (values.json) {
    const shown = schedules.map((one) => ({ ...one, next: nextOf(one, now)?.toISOString() ?? null }));
    await writeLine(process.stdout, jsonText(shown));
  } else if (schedules.length === 0) {
    await writeLine(process.stderr, 'Nothing is scheduled. helve schedule add "0 9 * * 1-5" "…" adds a prompt.');
  } else {
    const rows = schedules.map((one) => [one.id, one.cron, nextWords(one, now), one.root, one.prompt]);
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
    if ((await runDue(due)) !== 0) code = exitCode.failed;
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

function nextWords(one: Schedule, now = new Date()): string {
  const next = nextOf(one, now);
  if (!next) return 'never';
  return next <= now ? 'due now' : `next ${next.toLocaleString('sv')}`;
}
