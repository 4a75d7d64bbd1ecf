// `helve fleet`: sends prompts to the workers of a fleet, lists its sessions, and stops them.

import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { isSessionId } from '../agent/store/session-folder.js';
import { titleOf } from '../agent/store/session-title.js';
import type { FleetPrompts, FleetSession, FleetState } from '../fleet/prompts.js';
import type { FleetQuestions } from '../fleet/questions.js';
import type { OpenQuestion } from '../host/open-questions.js';
import { randomId } from '../platform/crypto.js';
import { jsonLine } from '../platform/text/json-line.js';
import { fullyVisible, visible } from '../platform/text/visible.js';
import { readArgs } from './args.js';
import { SHORT_CHARS } from './background/background-sessions.js';
import { exitCode } from './exit-codes.js';
import { projectFlags } from './fleet/project-flags.js';
import { UsageProblem } from './usage-problem.js';
import { databaseFlags, openFleet } from './worker.js';
import { writeLine } from './write-line.js';

const flags = {
  ...databaseFlags,
  project: { type: 'string' },
  root: { type: 'string' },
  repo: { type: 'string' },
  ref: { type: 'string' },
  branch: { type: 'string' },
  patch: { type: 'string' },
  archive: { type: 'string' },
  resume: { type: 'string', short: 'r' },
  'session-id': { type: 'string' },
  'prompt-id': { type: 'string' },
  priority: { type: 'string' },
  reason: { type: 'string' },
  since: { type: 'string' },
  ...projectFlags,
  json: { type: 'boolean' },
} as const;

/** The options of each action, beside those of the database and --json. */
const actions = {
  send: ['repo', 'ref', 'root', 'project', 'priority', 'resume', 'session-id', 'prompt-id'],
  list: ['project'],
  show: [],
  stop: [],
  answer: ['reason'],
  result: ['branch', 'patch', 'archive'],
  projects: [...Object.keys(projectFlags), 'priority'],
  schedule: ['repo', 'ref', 'root', 'project', 'priority'],
  audit: ['project', 'since'],
} as const satisfies Record<string, readonly string[]>;

type Action = keyof typeof actions;

const isAction = (word: string): word is Action => Object.hasOwn(actions, word);

type Values = ReturnType<typeof readArgs<typeof flags>>['values'];

export async function fleet(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, flags);
  const [action = 'list', ...words] = positionals;
  if (!isAction(action)) {
    throw new UsageProblem(`helve fleet takes ${Object.keys(actions).join(', ')}, but was given "${action}".`);
  }
  assertFlags(action, values);
  const [{ FleetPrompts }, { FleetQuestions }, { hasWorkers }] = await Promise.all([
    import('../fleet/prompts.js'),
    import('../fleet/questions.js'),
    import('../fleet/heartbeat.js'),
  ]);
  const { database, seal } = await openFleet(values);
  const prompts = new FleetPrompts(database, seal);
  try {
    if (action === 'send') {
      await send(prompts, words, values);
      if (!(await hasWorkers(database)))
        await writeLine(process.stderr, 'helve: No worker reports, so the prompt waits. helve worker starts one.');
    } else if (action === 'list') await list(prompts, values);
    else if (action === 'stop') await stop(prompts, words);
    else if (action === 'show') {
      const { show } = await import('./fleet/show.js');
      const session = await found(prompts, words[0] ?? '');
      await show({ database, seal, session }, { state: stateOf(session), json: values.json });
    } else if (action === 'result') {
      const { writeResult } = await import('./fleet-result.js');
      await writeResult({ database, seal, session: await found(prompts, words[0] ?? '') }, values);
    } else if (action === 'projects') await (await import('./fleet/projects.js')).projects(database, words, values);
    else if (action === 'schedule') {
      await (await import('./fleet/schedules.js')).schedule(database, seal, words, values);
    } else if (action === 'audit') await (await import('./fleet/audit.js')).audit(database, seal, values);
    else await answer(prompts, new FleetQuestions(database, seal), words, values);
    return exitCode.ok;
  } finally {
    await database.end();
  }
}

/** An option that does nothing would be taken for one that holds. */
function assertFlags(action: Action, values: Values): void {
  const known: readonly string[] = [...Object.keys(databaseFlags), 'json', ...actions[action]];
  const other = Object.keys(values).find((name) => !known.includes(name));
  if (other !== undefined) throw new UsageProblem(`helve fleet ${action} has no option --${other}.`);
}

async function send(prompts: FleetPrompts, [text = '', more]: readonly string[], values: Values): Promise<void> {
  if (text.trim() === '' || more !== undefined) {
    throw new UsageProblem('helve fleet send takes one prompt. Put it in quotes.');
  }
  const { resume, priority } = values;
  const known = resume === undefined ? undefined : await found(prompts, resume);
  const sessionId = known?.sessionId ?? values['session-id'] ?? randomId();
  if (!isSessionId(sessionId)) throw new UsageProblem(`--session-id "${sessionId}" is not an id.`);
  if (priority !== undefined && !/^\d$/.test(priority))
    throw new UsageProblem(`--priority takes a number from 0 to 9, but was "${priority}".`);
  const { projectName, repositoryOf } = await import('./fleet/session-place.js');
  const repository = known ? known.repository : repositoryOf(values);
  const root = known?.root ?? (repository ? '' : resolve(values.root ?? process.cwd()));
  const promptId = values['prompt-id'] ?? randomId();
  const content = [{ type: 'text', text }] as const;
  const { isNew } = await prompts.accept(
    {
      sessionId,
      promptId,
      project: known?.project ?? values.project ?? projectName(repository?.url ?? root),
      root,
      repository,
      content,
      ...(priority !== undefined && { priority: Number(priority) }),
      actor: userInfo().username,
    },
    titleOf(content),
  );
  await writeLine(process.stdout, values.json ? jsonLine({ sessionId, promptId, isNew }) : sessionId);
}

async function list(prompts: FleetPrompts, { json, project }: Values): Promise<void> {
  const all = await prompts.sessions();
  const sessions = project === undefined ? all : all.filter((session) => session.project === project);
  if (json) {
    for (const session of sessions) await writeLine(process.stdout, jsonLine({ ...session }));
    return;
  }
  const rows = sessions.map((session) => [
    session.sessionId.slice(0, SHORT_CHARS),
    stateOf(session),
    session.project,
    session.worker ?? '-',
    session.title.replace(/\s+/g, ' '),
  ]);
  const lines = [['ID', 'STATE', 'PROJECT', 'WORKER', 'TITLE'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map((row) => row[column]?.length ?? 0)));
  for (const row of lines) {
    const cells = row.map((cell, column) => fullyVisible(cell).padEnd(widths[column] ?? 0));
    await writeLine(process.stdout, cells.join('  ').trimEnd());
  }
}

const stateWords = {
  idle: 'idle',
  running: 'running',
  requires_action: 'waiting for you',
  failed: 'failed',
  interrupted: 'interrupted',
} as const satisfies Record<FleetState, string>;

const stateOf = ({ state, openPrompts }: FleetSession): string =>
  state === 'idle' && openPrompts > 0 ? 'queued' : stateWords[state];

async function stop(prompts: FleetPrompts, words: readonly string[]): Promise<void> {
  if (words.length === 0) throw new UsageProblem('helve fleet stop takes the ids of sessions.');
  for (const session of await Promise.all(words.map((wanted) => found(prompts, wanted)))) {
    const open = await prompts.cancel(session.sessionId);
    const what =
      open === 0 ? 'has nothing to stop' : `is being stopped, with ${open} ${open === 1 ? 'prompt' : 'prompts'}`;
    await writeLine(process.stdout, `The session ${session.sessionId.slice(0, SHORT_CHARS)} ${what}.`);
  }
}

/** Without an answer: shows the question. */
async function answer(
  prompts: FleetPrompts,
  questions: FleetQuestions,
  [wanted = '', given, more]: readonly string[],
  { reason, json }: Values,
): Promise<void> {
  if (more !== undefined) throw new UsageProblem('helve fleet answer takes one answer. Put it in quotes.');
  const { sessionId } = await found(prompts, wanted);
  const [asked] = await questions.open(sessionId);
  if (!asked) throw new UsageProblem(`The session ${sessionId.slice(0, SHORT_CHARS)} does not wait for an answer.`);
  if (given === undefined) {
    return await writeLine(process.stdout, json ? jsonLine({ ...asked }) : visible(questionText(asked.question)));
  }
  const isFirst = await questions.answer(asked, answerTo(asked.question, given, reason), userInfo().username);
  await writeLine(process.stdout, isFirst ? 'Answered.' : 'It was answered or withdrawn before.');
}

function questionText(question: OpenQuestion): string {
  if (question.kind === 'trust') return `Do you trust the settings of this folder? allow or deny`;
  if (question.kind === 'choices') {
    return question.questions
      .map(
        (one) =>
          `${one.question}\n${one.options.map(({ label, description }) => `  ${label}: ${description}`).join('\n')}`,
      )
      .join('\n');
  }
  const { tool, display, reason } = question.question;
  return `${tool} ${display.title}\n${reason}\nallow or deny`;
}

function answerTo(question: OpenQuestion, given: string, reason: string | undefined): unknown {
  if (question.kind === 'choices') {
    if (question.questions.length !== 1) {
      throw new UsageProblem('It has several questions, which this command can not answer. Stop the session, or wait.');
    }
    const isLabel = question.questions[0]?.options.some(({ label }) => label === given);
    return [isLabel ? { chosen: [given] } : { chosen: [], text: given }];
  }
  if (given !== 'allow' && given !== 'deny') throw new UsageProblem(`Answer allow or deny, not "${given}".`);
  if (question.kind === 'trust') return given === 'allow';
  return given === 'deny' ? { behavior: given, ...(reason !== undefined && { reason }) } : { behavior: given };
}

async function found(prompts: FleetPrompts, wanted: string): Promise<FleetSession> {
  const meant = (await prompts.sessions()).filter(({ sessionId }) => wanted !== '' && sessionId.startsWith(wanted));
  const [only, more] = meant;
  if (only && !more) return only;
  const many = `"${wanted}" is the beginning of ${meant.length} ids. Give more of the one you mean.`;
  throw new UsageProblem(only ? many : `There is no session "${wanted}" in the fleet. helve fleet list lists them.`);
}
