// Describes what a folder's settings do, for the trust question.
import { type Places, placeWords } from '../permissions/risks/place-words.js';
import { isObject } from '../platform/is-object.js';
import { type CoveredItem, describeItem } from '../settings/covered-item.js';
import type { TrustReport } from '../settings/trust.js';

export interface TrustFacts {
  /** For people: `~/project`. */
  folder: string;
  /** `changed`: it was trusted before, and something was added or changed since. */
  state: 'changed' | 'untrusted';
  /** What trust would enable, by the file that it comes from. */
  groups: readonly TrustGroup[];
  /** Files with instructions for the model. Alone, they are asked about in one sentence. */
  instructions: readonly string[];
}

export interface TrustGroup {
  file: string;
  items: readonly TrustItem[];
}

interface TrustItem {
  text: string;
  line?: number | undefined;
  change?: 'new' | 'changed' | undefined;
}

/** An entry with its line in the file, and whether it has changed. */
export const itemWords = ({ text, line, change }: TrustItem): string =>
  `${change === 'changed' ? 'changed: ' : ''}${text}${line === undefined ? '' : ` (line ${line})`}`;

/** The question and its two answers. */
export function trustQuestion({ state, groups, instructions }: TrustFacts) {
  const isSimple = groups.length === 0;
  const names = instructions.join(' and ');
  const it = instructions.length === 1 ? 'it' : 'them';
  return {
    title: state === 'changed' ? 'This folder has changed since you trusted it' : 'Do you trust this folder?',
    sentence: isSimple
      ? names === ''
        ? 'Nothing in it needs trust.'
        : `${names} ${it === 'it' ? 'tells' : 'tell'} the model how to work here. Trust ${it} if you know who wrote ${it}.`
      : 'Trusting it switches this on:',
    no: isSimple ? `No, treat ${it} as notes` : 'No, continue and ignore all of this',
    yes: isSimple ? `Yes, follow ${it}` : 'Yes, trust the folder, with all of this',
  };
}

/** What else trust includes. */
export const instructionsLine = ({ groups, instructions }: TrustFacts): string[] =>
  groups.length > 0 && instructions.length > 0
    ? [`${instructions.join(', ')}: the model follows it (without trust, Helve asks about it on its own)`]
    : [];

/** One line with everything the item would do. If it can't be summarised, it is shown as written. */
export function trustWords(item: CoveredItem): string {
  const { key, name, value } = item;
  if (key === 'permissions.allow' && typeof value === 'string') return line('allows', value);
  if (key === 'env' && name !== undefined && typeof value === 'string') return line('sets', `${name}=${value}`);
  if (key === 'statusLine') {
    const command = commandOf(value);
    if (command !== undefined) return line('runs for the status line', command);
  }
  if (key === 'hooks' && isObject(value) && hasOnly(value, ['event', 'matcher', 'hook'])) {
    const { event, matcher = '', hook } = value;
    const command = commandOf(hook);
    if (typeof event === 'string' && typeof matcher === 'string' && command !== undefined)
      return line(`runs at ${event}${matcher ? ` of ${matcher}` : ''}`, command);
  }
  if (key === 'mcpServers' && isObject(value) && hasOnly(value, ['type', 'command', 'args'])) {
    const { type = 'stdio', command, args = [] } = value;
    if (type === 'stdio' && typeof command === 'string' && isTexts(args))
      return line(`starts the MCP server ${name ?? ''}`, [command, ...args].join(' '));
  }
  if (key === 'mcpServers' && isObject(value) && hasOnly(value, ['type', 'url'])) {
    const { type, url } = value;
    if ((type === 'http' || type === 'sse') && typeof url === 'string')
      return line(`connects to the MCP server ${name ?? ''}`, url);
  }
  return describeItem(item);
}

/** The command of `{ type: 'command', command }`, if that is all of it: no field may stay unseen. */
const commandOf = (value: unknown): string | undefined =>
  isObject(value) &&
  hasOnly(value, ['type', 'command']) &&
  value['type'] === 'command' &&
  typeof value['command'] === 'string'
    ? value['command']
    : undefined;

const hasOnly = (value: object, fields: readonly string[]): boolean =>
  Object.keys(value).every((field) => fields.includes(field));

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** What a folder's items would do, by the file that they come from, in the order of their first items. */
export function trustFacts(
  { folder, state, pending }: TrustReport,
  { home }: Pick<Places, 'home'>,
  instructions: readonly string[] = [],
): TrustFacts {
  const groups = new Map<string, Array<TrustGroup['items'][number]>>();
  for (const item of pending.filter(({ key }) => key !== 'instructions')) {
    const file = item.file ?? 'settings';
    const { line: at, change } = item;
    groups.set(file, [...(groups.get(file) ?? []), { text: trustWords(item), line: at, change }]);
  }
  return {
    folder: placeWords(folder, { project: [], home }),
    state: state === 'changed' ? 'changed' : 'untrusted',
    groups: [...groups].map(([file, items]) => ({ file, items })),
    instructions: [
      ...pending.flatMap(({ key, name }) => (key === 'instructions' && name !== undefined ? [name] : [])),
      ...instructions,
    ],
  };
}

/** With invisible characters made visible. */
const line = (what: string, value: string): string => describeItem({ key: what, value });
