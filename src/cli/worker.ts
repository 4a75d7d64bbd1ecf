// `helve worker`: runs prompts of a fleet that meets in a PostgreSQL database.
import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import { readAnswer } from '../acp/read-answer.js';
import type { Database } from '../fleet/postgres.js';
import type { Seal } from '../fleet/store/seal.js';
import { randomHex } from '../platform/crypto.js';
import { dataFolderOf } from '../platform/files/paths.js';
import { messageOf } from '../platform/message-of.js';
import { clause } from '../platform/text/clause.js';
import { visible } from '../platform/text/visible.js';
import { conversationOpener } from './acp/open-conversation.js';
import { conversationFlags, readArgs } from './args.js';
import { sessionArgv } from './background/session-argv.js';
import { exitCode } from './exit-codes.js';
import { readRunFlags } from './run-flags.js';
import { onSignals } from './signals.js';
import { UsageProblem } from './usage-problem.js';
import { wholeNumber } from './whole-number.js';

declare const HELVE_VERSION: string; // defined by the build

const DEFAULT_CONCURRENCY = 4;
const DEFAULT_PROJECT_LIMIT = 1_000;
const DEFAULT_SILENCE_SECONDS = 5;
const DEFAULT_DRAIN_SECONDS = 20; // less than the 30 that Kubernetes waits before it kills
const DEFAULT_KEEP_DAYS = 30;
const DEFAULT_WORKSPACE_MB = 4_000;
const MB = 1_000_000;
const DEFAULT_MAX_LOSSES = 10; // of one prompt

const { goal: _goal, until: _until, ...workerFlags } = conversationFlags; // those are of one prompt

/** Where a fleet meets. */
export const databaseFlags = { database: { type: 'string' }, 'key-file': { type: 'string' } } as const;

const flags = {
  ...workerFlags,
  ...databaseFlags,
  concurrency: { type: 'string' },
  'project-limit': { type: 'string' },
  silence: { type: 'string' },
  drain: { type: 'string' },
  'keep-days': { type: 'string' },
  workspaces: { type: 'string' },
  'workspace-limit': { type: 'string' },
  'max-losses': { type: 'string' },
} as const;

export async function worker(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, flags);
  if (positionals[0] !== undefined) {
    throw new UsageProblem(
      `helve worker takes no argument such as "${positionals[0]}": prompts come from the database.`,
    );
  }
  const concurrency = numberOr('concurrency', values.concurrency, DEFAULT_CONCURRENCY);
  const projectLimit = numberOr('project-limit', values['project-limit'], DEFAULT_PROJECT_LIMIT);
  const silenceMs = numberOr('silence', values.silence, DEFAULT_SILENCE_SECONDS) * 1_000;
  const drainMs = numberOr('drain', values.drain, DEFAULT_DRAIN_SECONDS) * 1_000;
  const runFlags = readRunFlags(sessionArgv(values), { isInteractive: true });
  const { database, url, seal } = await openFleet(values);
  const [
    { FleetWorker },
    { PostgresStore },
    { FleetPrompts },
    { FleetQuestions },
    { LiveLog },
    { FleetProjects },
    { FleetSchedules },
    { FleetWorkspaces },
  ] = await Promise.all([
    import('../fleet/worker.js'),
    import('../fleet/store/postgres-store.js'),
    import('../fleet/prompts.js'),
    import('../fleet/questions.js'),
    import('../fleet/live-log.js'),
    import('../fleet/projects.js'),
    import('../fleet/schedules.js'),
    import('../fleet/workspace/fleet-workspaces.js'),
  ]);
  const { HELVE_DATABASE: _, ...env } = process.env; // has a password, which commands of the sessions must not see
  const id = `${hostname()}-${process.pid}-${randomHex(4)}`;
  const store = new PostgresStore(database, { seal, worker: id });
  const maxBytes = numberOr('workspace-limit', values['workspace-limit'], DEFAULT_WORKSPACE_MB) * MB;
  const workspaces = new FleetWorkspaces({ folder: workspacesFolder(values.workspaces), store, env, maxBytes });
  const running = await FleetWorker.start({
    url,
    database,
    id,
    version: HELVE_VERSION,
    concurrency,
    projectLimit,
    silenceMs,
    keepDays: numberOr('keep-days', values['keep-days'], DEFAULT_KEEP_DAYS),
    store,
    workspaces,
    prompts: new FleetPrompts(database, seal),
    questions: new FleetQuestions(database, seal),
    live: new LiveLog(database, seal),
    projects: new FleetProjects(database),
    schedules: new FleetSchedules(database, seal),
    maxLosses: numberOr('max-losses', values['max-losses'], DEFAULT_MAX_LOSSES),
    // A client that can write to the database can send prompts, too.
    readAnswer: (asked, given, actor) => readAnswer(asked, given, { actor, role: 'run' }),
    dataFolder: dataFolderOf(),
    open: (whenRecorded, policy) =>
      conversationOpener(runFlags, { surface: 'background', env, whenRecorded, policy }).open,
    onProblem: tell,
  });
  const signals = onSignals(() => running.killAll());
  tell(`The worker ${id} takes up to ${concurrency} prompts at once.`);
  const stopped = new Promise<'stopped'>((resolve) => {
    signals.signal.addEventListener('abort', () => resolve('stopped'), { once: true });
  });
  const end = await Promise.race([stopped, running.lost.then(() => 'lost' as const)]);
  if (end === 'lost') {
    tell('This worker was silent for too long, and others continue its sessions. It ends.');
    process.exit(exitCode.failed); // nothing that runs here may go on
  }
  tell(`The worker takes no more prompts, and waits up to ${drainMs / 1_000} s for ${running.busy} that run.`);
  await running.drain(drainMs).catch((error: unknown) => tell(messageOf(error)));
  process.exit(exitCode.ok); // what has not ended goes on elsewhere
}

/** The same path on every worker that has the default and the same user: sessions go on in it. */
function workspacesFolder(given: string | undefined): string {
  if (given !== undefined && !isAbsolute(given)) {
    throw new UsageProblem(
      `--workspaces takes an absolute path, which must be the same on every worker, but was "${given}".`,
    );
  }
  return given ?? `/var/tmp/helve-workspaces-${userInfo().uid}`;
}

/** Connects to the database that the flags or HELVE_DATABASE name. */
export async function openFleet(values: {
  database?: string | undefined;
  'key-file'?: string | undefined;
}): Promise<{ database: Database; url: string; seal: Seal | undefined }> {
  const url = values.database ?? process.env['HELVE_DATABASE'];
  if (url === undefined || url === '') {
    throw new UsageProblem(
      'Which database? Name it with --database postgres://… or in HELVE_DATABASE, which keeps its password out of the list of processes.',
    );
  }
  const { assertKey, openDatabase } = await import('../fleet/postgres.js');
  const seal = values['key-file'] === undefined ? undefined : await sealOf(values['key-file']);
  const database = await openDatabase(url);
  try {
    await assertKey(database, seal?.keyId);
    return { database, url, seal };
  } catch (error) {
    await database.end();
    throw error;
  }
}

export async function sealOf(path: string): Promise<Seal> {
  const { keyFrom, sealWith } = await import('../fleet/store/seal.js');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageProblem(`--key-file ${path} can't be read: ${clause(messageOf(error))}.`);
  }
  return sealWith(keyFrom(text, path));
}

const numberOr = (name: string, given: string | undefined, standard: number): number =>
  given === undefined ? standard : wholeNumber(name, given);

function tell(sentence: string): void {
  process.stderr.write(`helve: ${visible(sentence)}\n`);
}
