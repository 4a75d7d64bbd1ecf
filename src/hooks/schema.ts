// The `hooks` part of a settings file. Hooks are read one by one: an invalid one must not affect the others, and a guard
// must not be dropped because of a detail.
import * as z from 'zod';
import { type HookEvent, hookEvents } from '../contract/hook.js';
import { isObject } from '../platform/is-object.js';
import { nearestWords, wordSimilarity } from '../platform/text/similar-text.js';
import { readMatcher } from './match-hook.js';
import { meantEvent } from './odd-matchers.js';

const common = {
  if: z.string().min(1).optional().describe('A permission rule, as "Bash(git *)": runs only for calls that it matches'),
  timeout: z
    .number()
    .positive()
    .optional()
    .describe('Seconds until the hook is ended. Default: 60, 600 for worktrees, and 10 at the end of a session'),
  onFailure: z
    .enum(['continue', 'block'])
    .optional()
    .describe('What a crash, a timeout or an answer that is not understood does. Default: continue'),
  statusMessage: z.string().optional().describe('What to show while it runs'),
};

const commandHook = z.strictObject({
  type: z.literal('command'),
  command: z.string().min(1).describe('What bash runs; with "args", the program'),
  args: z.array(z.string()).optional().describe('Arguments of the program, which is then run without a shell'),
  shell: z.literal('bash').optional().describe('There is no other'),
  async: z.boolean().optional().describe('Runs in the background; it can decide nothing'),
  asyncRewake: z
    .boolean()
    .optional()
    .describe('As async; with exit code 2, the model gets its output once it has ended'),
  ...common,
});

const httpHook = z.strictObject({
  type: z.literal('http'),
  url: z.string().refine(isPlainUrl).describe('The address that gets the JSON. Redirects are not followed'),
  headers: z.record(z.string(), z.string()).optional().describe('May hold $NAME for variables of allowedEnvVars'),
  allowedEnvVars: z.array(z.string()).optional().describe('Variables that headers may name'),
  ...common,
});

const hookSchema = z.discriminatedUnion('type', [commandHook, httpHook]);

export const hooksSchema = z.partialRecord(
  z.enum(hookEvents),
  z.array(
    z.strictObject({
      matcher: z.string().optional().describe('Names, separated by "|", or a regular expression. Default: all'),
      hooks: z.array(hookSchema),
    }),
  ),
);

export type CommandDefinition = z.output<typeof commandHook>;
export type HttpDefinition = z.output<typeof httpHook>;
export type HookDefinition = CommandDefinition | HttpDefinition;

/** One hook, ready to be run. */
export interface ConfiguredHook {
  event: HookEvent;
  matcher: string;
  hook: HookDefinition;
  /** The file that it is written in, for messages. */
  source: string;
  /** Whether a person trusts that file. If not, the hook never runs. */
  trusted: boolean;
  /** Variables of the plugin that it belongs to. */
  env?: Readonly<Record<string, string>>;
  /** Its name for people and the model: of a plugin's hook, without the values that were filled in. */
  label?: string;
  /** Values that must appear in no message about it. */
  secrets?: readonly string[];
}

export interface HookProblem {
  /** Where in the settings: `hooks.PreToolUse[0].hooks[1].timeout`. */
  path: string;
  /** The problem and its consequence. */
  message: string;
  /** A hook whose failures block was left out: the caller that loads the file must stop. */
  fatal: boolean;
}

interface Reading {
  configured: ConfiguredHook[];
  problems: HookProblem[];
}

/** Parses the value of the `hooks` key, and reports everything that can't be understood. */
export function readHooks(value: unknown, origin: { source: string; trusted: boolean }): Reading {
  const reading: Reading = { configured: [], problems: [] };
  const { problems } = reading;
  if (!isObject(value)) {
    problems.push({
      path: 'hooks',
      message: 'must be an object with an event as each key; no hook was read',
      fatal: false,
    });
    return reading;
  }
  for (const [event, groups] of Object.entries(value)) {
    const path = `hooks.${event}`;
    if (!isEvent(event)) {
      const meant = meantEvent(event);
      const next = meant === undefined ? `There are: ${hookEvents.join(', ')}` : `Did you mean ${meant}?`;
      const message = `is not an event of Helve, so its hooks never run. ${next}`;
      problems.push({ path, message, fatal: asksToBlock(groups) });
    } else if (!Array.isArray(groups)) {
      problems.push({ path, message: 'must be an array; its hooks were left out', fatal: asksToBlock(groups) });
    } else {
      groups.forEach((group: unknown, index) => {
        readGroup(group, { event, path: `${path}[${index}]`, origin, reading });
      });
    }
  }
  return reading;
}

interface GroupContext {
  event: HookEvent;
  path: string;
  origin: { source: string; trusted: boolean };
  reading: Reading;
}

function readGroup(group: unknown, context: GroupContext): void {
  const { event, path, origin, reading } = context;
  const { problems } = reading;
  const fatal = asksToBlock(group);
  if (!isObject(group) || !Array.isArray(group['hooks'])) {
    problems.push({ path, message: 'must be an object with "hooks", an array; it was left out', fatal });
    return;
  }
  for (const key of Object.keys(group)) {
    if (key !== 'matcher' && key !== 'hooks')
      problems.push({ path: `${path}.${key}`, message: notKnown(key, ['matcher', 'hooks']), fatal: false });
  }
  const matcher = group['matcher'] ?? '';
  if (typeof matcher !== 'string') {
    problems.push({ path: `${path}.matcher`, message: 'must be a string; its hooks were left out', fatal });
    return;
  }
  const compiled = readMatcher(matcher);
  if ('problem' in compiled) {
    problems.push({ path: `${path}.matcher`, message: `${compiled.problem} Its hooks were left out`, fatal });
    return;
  }
  group['hooks'].forEach((entry: unknown, index) => {
    const hook = readHook(entry, `${path}.hooks[${index}]`, problems);
    if (hook) reading.configured.push({ event, matcher, hook, ...origin });
  });
}

function notKnown(key: string, known: readonly string[]): string {
  const meant = known.find((one) => one.toLowerCase() === key.replace(/[_-]/g, '').toLowerCase());
  const [near] = nearestWords(key, known);
  const hint = meant ?? (near !== undefined && wordSimilarity(key, near) >= 0.75 ? near : undefined);
  return `is not known here and has no effect${hint === undefined ? '' : `. Did you mean ${hint}?`}`;
}

function readHook(entry: unknown, path: string, problems: HookProblem[]): HookDefinition | undefined {
  const fatal = asksToBlock(entry);
  if (!isObject(entry)) {
    problems.push({ path, message: 'must be an object with "type"; it was left out', fatal });
    return undefined;
  }
  const schema = entry['type'] === 'command' ? commandHook : entry['type'] === 'http' ? httpHook : undefined;
  if (!schema) {
    const message = `is ${JSON.stringify(entry['type'])}, but there are only "command" and "http"; the hook was left out`;
    problems.push({ path: `${path}.type`, message, fatal });
    return undefined;
  }
  const corrected: Record<string, unknown> = { ...entry };
  for (const issue of schema.safeParse(entry).error?.issues ?? []) {
    const [field] = issue.path;
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) {
        delete corrected[key];
        problems.push({ path: `${path}.${key}`, message: notKnown(key, Object.keys(schema.shape)), fatal: false });
      }
      continue;
    }
    const amend = amends.get(String(field));
    const given = JSON.stringify(entry[String(field)]) ?? 'missing';
    const consequence = amend?.told ?? 'the hook was left out';
    const message = `${expectations[String(field)] ?? issue.message}, but was ${given}; ${consequence}`;
    problems.push({ path: `${path}.${String(field)}`, message, fatal: amend ? false : fatal });
    if (amend) corrected[String(field)] = amend.value;
  }
  return schema.safeParse(corrected).data;
}

const expectations: Readonly<Record<string, string>> = {
  command: 'must be a string that is not empty',
  args: 'must be an array of strings',
  shell: 'must be "bash"',
  async: 'must be true or false',
  url: 'must be an address with http or https, and without a user name',
  headers: 'must be an object of strings',
  allowedEnvVars: 'must be an array of strings',
  if: 'must be a permission rule, as "Bash(git *)"',
  timeout: 'must be a number of seconds above 0',
  onFailure: 'must be "continue" or "block"',
  statusMessage: 'must be a string',
};

/** Optional details of a hook. Any other value of `onFailure` counts as "block". */
const amends: ReadonlyMap<string, { value: unknown; told: string }> = new Map([
  ['timeout', { value: undefined, told: 'the default is used' }],
  ['statusMessage', { value: undefined, told: 'none is shown' }],
  ['async', { value: undefined, told: 'the hook is waited for' }],
  ['allowedEnvVars', { value: undefined, told: 'no variable is handed out' }],
  ['onFailure', { value: 'block', told: '"block" is used' }],
]);

const isEvent = (name: string): name is HookEvent => hookEvents.some((event) => event === name);

/** Whether a hook in there has failures that block. */
function asksToBlock(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(asksToBlock);
  if (!isObject(value)) return false;
  if (value['onFailure'] !== undefined && value['onFailure'] !== 'continue') return true;
  return asksToBlock(value['hooks']);
}

function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
