// A hook that is ready to run, from settings or a program, and the three ways to run one.
import { existsSync } from 'node:fs';
import type { HookCallback, HookEvent, HookInput } from '../contract/hook.js';
import type { HookGroup } from '../contract/options.js';
import type { PermissionMode } from '../contract/permission.js';
import { abortable } from '../platform/abortable.js';
import { messageOf } from '../platform/message-of.js';
import { timeLimit } from '../platform/time-limit.js';
import { nameOf } from './describe-hook.js';
import { type NameMatcher, readMatcher } from './match-hook.js';
import { settledValue } from './plain-value.js';
import { type ReadAnswer, readValue, refusalsOf, unreadable } from './read-answer.js';
import { readCommandAnswer } from './read-command-answer.js';
import { readBody } from './read-text.js';
import type { CommandDefinition, ConfiguredHook, HttpDefinition } from './schema.js';

const DEFAULT_TIMEOUT_SECONDS = 60;
const WORKTREE_TIMEOUT_SECONDS = 600; // a checkout and an installation
const SESSION_END_TIMEOUT_SECONDS = 10; // the user is waiting for the prompt of the shell
const MAX_TIMEOUT_SECONDS = 86_400; // timers can't hold much more

/** The environment that the hooks of a session run in. */
export interface HookSurroundings {
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Values that may change during a session. */
  situation(): { cwd: string; mode: PermissionMode };
  /** Where SessionStart hooks may write `export NAME=value` for the commands that follow. */
  envFile?: string;
  /** Whether a hook may post to an address. Default: to any. */
  mayPost?: (url: URL) => boolean;
  /** Registers a function that kills the process, for a program that must exit; returns a function that unregisters it. */
  whileRunning?: (kill: () => void) => () => void;
  /** Called before a hook runs, since it may write files; resolves with a function to call when it no longer can. */
  announceWriter?: (name: string) => Promise<() => void>;
}

export interface ReadyHook {
  name: string;
  source: string;
  matcher: NameMatcher;
  /** Two hooks with the same key are one. */
  key: unknown;
  /** Its `if` rule. */
  rule?: string | undefined;
  blocksOnFailure: boolean;
  inBackground: boolean;
  /** Objections that it raises in the background are sent to the model. */
  rewakes?: boolean;
  /**
   * Takes its input as JSON. May reject, which counts as a failure; when the signal aborts it rejects with its reason.
   * `detach` is called if the hook says that it continues in the background, with its answer so far.
   */
  run(input: string, signal: AbortSignal, detach?: (answer: ReadAnswer) => void): Promise<TimedAnswer>;
}

/** `refusesByTimeout`: it took too long, which refuses with any `onFailure`. */
export type TimedAnswer = ReadAnswer & { refusesByTimeout?: boolean };

export function fromSettings(
  { event, hook, matcher, source, env, label = nameOf(hook), secrets = [] }: ConfiguredHook,
  given: HookSurroundings,
): ReadyHook {
  const surroundings = env ? { ...given, env: { ...given.env, ...env } } : given;
  const timeoutMs = timeoutOf(hook.timeout, event);
  const isHttp = hook.type === 'http';
  return {
    name: label,
    source,
    matcher: matcherOf(matcher),
    key: JSON.stringify(isHttp ? [hook.url, hook.headers, hook.allowedEnvVars] : [hook.command, hook.args, env]),
    rule: hook.if,
    blocksOnFailure: hook.onFailure === 'block',
    inBackground: !isHttp && (hook.async === true || hook.asyncRewake === true),
    rewakes: !isHttp && hook.asyncRewake === true,
    run: async (input, signal, onAsync) => {
      const run = { event, input, timeoutMs, signal, onAsync, label };
      const ended = isHttp ? runHttp(hook, run, surroundings) : runCommand(hook, run, surroundings);
      return secrets.length === 0 ? await ended : await withoutSecrets(ended, secrets, signal);
    },
  };
}

/** What went wrong may quote the program, its arguments or the address, which hold the values. */
async function withoutSecrets(
  ended: Promise<TimedAnswer>,
  secrets: readonly string[],
  signal: AbortSignal,
): Promise<TimedAnswer> {
  const hide = (text: string): string => secrets.reduce((left, secret) => left.replaceAll(secret, '(hidden)'), text);
  try {
    const answer = await ended;
    return { ...answer, failures: answer.failures.map(hide) };
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(hide(messageOf(error))); // without its cause, which has the values
  }
}

export function fromCallbacks(event: HookEvent, group: HookGroup): ReadyHook[] {
  const timeoutMs = timeoutOf(group.timeout, event);
  const matcher = matcherOf(group.matcher ?? '');
  return group.hooks.map((callback) => ({
    name: callback.name || 'a callback',
    source: 'the program',
    matcher,
    key: callback,
    blocksOnFailure: group.onFailure === 'block',
    inBackground: false,
    run: (input, signal) => runCallback(callback, { event, input, timeoutMs, signal }),
  }));
}

/** Hooks from settings have been checked already; a bad matcher of a program throws at once. */
function matcherOf(text: string): NameMatcher {
  const matcher = readMatcher(text);
  if ('problem' in matcher) throw new TypeError(`The matcher of a hook can't be read: ${matcher.problem}`);
  return matcher;
}

function timeoutOf(seconds: number | undefined, event: HookEvent): number {
  const isOfWorktree = event === 'WorktreeCreate' || event === 'WorktreeRemove';
  const usual = isOfWorktree ? WORKTREE_TIMEOUT_SECONDS : DEFAULT_TIMEOUT_SECONDS;
  const standard = event === 'SessionEnd' ? SESSION_END_TIMEOUT_SECONDS : usual;
  return Math.min(seconds ?? standard, MAX_TIMEOUT_SECONDS) * 1000;
}

interface Run {
  event: HookEvent;
  input: string;
  timeoutMs: number;
  signal: AbortSignal;
  onAsync?: ((answer: ReadAnswer) => void) | undefined;
  /** The hook's name. */
  label: string;
}

async function runCommand(
  hook: CommandDefinition,
  { event, onAsync, label, ...run }: Run,
  surroundings: HookSurroundings,
): Promise<TimedAnswer> {
  const { runCommandHook } = await import('./run-command-hook.js');
  const { root, whileRunning, announceWriter } = surroundings;
  const { cwd } = surroundings.situation();
  // Bash gets the user's text unchanged. Data of a call is never inserted into it: it goes to stdin.
  const filled = (word: string): string => word.replaceAll(/\$\{(?:CLAUDE|HELVE)_PROJECT_DIR\}/g, () => root);
  const started = hook.args
    ? { program: filled(hook.command), args: hook.args.map(filled) }
    : { program: 'bash', args: ['-c', hook.command] };
  const end = await runCommandHook({
    ...started,
    ...run,
    cwd: existsSync(cwd) ? cwd : root, // a command may have removed it
    env: hookEnvironment(event, surroundings),
    whileRunning,
    onAsync: (marker) => onAsync?.(readValue(event, marker, run.input)),
    async onLeftRunning(allEnded) {
      const end = await announceWriter?.(`what the hook "${label}" left running`);
      if (end) void allEnded.then(end);
    },
  });
  const answer = readCommandAnswer(event, end, run.input);
  if (end.timedOut) answer.failures.push(tookTooLong(run.timeoutMs));
  return answer;
}

const tookTooLong = (timeoutMs: number): string => `it took longer than ${timeoutMs / 1000} s and was stopped`;

/** Without bash's startup files: their output would precede the answer. */
function hookEnvironment(
  event: HookEvent,
  { env, root, envFile }: HookSurroundings,
): Record<string, string | undefined> {
  const { BASH_ENV: _, ENV: __, ...kept } = env;
  return {
    ...kept,
    CLAUDE_PROJECT_DIR: root,
    HELVE_PROJECT_DIR: root,
    ...(event === 'SessionStart' && envFile !== undefined && { CLAUDE_ENV_FILE: envFile, HELVE_ENV_FILE: envFile }),
  };
}

async function runHttp(
  hook: HttpDefinition,
  { event, input, onAsync: _, label: __, ...run }: Run,
  { mayPost, env }: HookSurroundings,
): Promise<TimedAnswer> {
  const url = new URL(hook.url);
  if (mayPost && !mayPost(url)) return failed('its address is not among those that hooks may post to');
  const { runHttpHook, fillHeaders } = await import('./run-http-hook.js');
  const headers = fillHeaders(hook.headers ?? {}, hook.allowedEnvVars ?? [], env);
  const end = await runHttpHook({ ...run, url, headers, body: input });
  if (end.isUnreadable) return unreadable(event, end.failure);
  const answer = readBody(event, end.text, input);
  return end.failure === undefined ? answer : { ...refusalsOf(event, answer), failures: [end.failure] };
}

async function runCallback(
  callback: HookCallback,
  { event, input, timeoutMs, signal }: Omit<Run, 'label'>,
): Promise<TimedAnswer> {
  const limit = timeLimit(timeoutMs);
  const either = AbortSignal.any([signal, limit.signal]);
  const given = JSON.parse(input) as HookInput; // parsed for each hook, so that none can change the input of another
  const toolUseId = 'tool_use_id' in given ? given.tool_use_id : undefined;
  try {
    const answered = async (): Promise<unknown> => settledValue(await callback(given, toolUseId, { signal: either }));
    const output = await abortable(answered, either);
    return output === undefined ? { failures: [], remarks: [] } : readValue(event, output, input);
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.signal.aborted) return failed(`it threw: ${messageOf(error)}`);
    // Unlike a process it can't be stopped and may be about to refuse, so the call doesn't run.
    return { ...failed(tookTooLong(timeoutMs)), refusesByTimeout: event === 'PreToolUse' };
  } finally {
    limit.clear();
  }
}

const failed = (failure: string): ReadAnswer => ({ failures: [failure], remarks: [] });
