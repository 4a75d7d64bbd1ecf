import { helpPages } from '../help/pages.js';
import { type ActionRow, type FlagRow, type PageTable, readPage } from './read-page.js';
import type { Candidate, PlaceholderContext, Values } from './values.js';

/** The candidates for the last of these words, which follow `helve`; the last may be empty. */
export async function complete(words: readonly string[]): Promise<Values> {
  const before = words.slice(0, -1);
  const word = words.at(-1) ?? '';
  if (before.includes('--')) return []; // a prompt, or another program's command
  const [first] = before;
  if (first === undefined && !word.startsWith('-')) return fitting(commands(), word);
  if (first === 'help') return before.length === 1 ? fitting(commands(), word) : [];
  const command = first !== undefined && Object.hasOwn(helpPages, first) ? first : '-p';
  const values = await inCommand(command, command === '-p' ? before : before.slice(1), word);
  const version = { word: '--version', about: 'the version' };
  return first === undefined && typeof values !== 'string' ? [...values, ...fitting([version], word)] : values;
}

async function inCommand(command: string, before: readonly string[], word: string): Promise<Values> {
  const table = tableOf(command);
  const { action, operands, open } = readBefore(before, table);
  if (open) return fittingValues(await valuesOf(open.value ?? '', { command, after: open.name }), word);
  const joined = /^(--[\w-]+=)(.*)$/.exec(word);
  if (joined) return await joinedValue(command, table, { head: joined[1] ?? '', text: joined[2] ?? '' });
  if (word.startsWith('-')) return fitting(flagsFor(table, action), word);
  if (table.actions.size > 0 && action === undefined) {
    return fitting(
      [...table.actions].map(([name, { about }]) => ({ word: name, about })),
      word,
    );
  }
  const row = (action === undefined ? undefined : table.actions.get(action)) ?? table.own;
  const placeholder = operandAt(row, operands);
  if (placeholder === undefined) return [];
  return fittingValues(await valuesOf(placeholder, { command, after: action ?? command }), word);
}

/** What the words so far contain: the action, the number of operands, and whether a flag still needs its value. */
function readBefore(before: readonly string[], { actions, flags }: PageTable) {
  let action: string | undefined;
  let operands = 0;
  let open: FlagRow | undefined;
  for (const word of before) {
    if (open) open = undefined;
    else if (word.startsWith('-')) open = flags.find(({ name, value }) => name === word && value !== undefined);
    else if (action === undefined && operands === 0 && actions.has(word)) action = word;
    else operands += 1;
  }
  return { action, operands, open };
}

function operandAt({ operands, repeats }: ActionRow, index: number): string | undefined {
  return operands[index] ?? (repeats ? operands.at(-1) : undefined);
}

async function joinedValue(command: string, { flags }: PageTable, { head, text }: { head: string; text: string }) {
  const flag = flags.find(({ name }) => `${name}=` === head);
  const values = flag?.value === undefined ? [] : await valuesOf(flag.value, { command, after: flag.name });
  if (typeof values === 'string') return values;
  return fitting(values, text).map(({ word, ...rest }) => ({ word: `${head}${word}`, ...rest }));
}

/** The terminal has a few more flags than -p. */
function tableOf(command: string): PageTable {
  const table = readPage(command, helpPages[command] ?? '');
  if (command !== '-p') return table;
  const known = new Set(table.flags.map(({ name }) => name));
  const others = readPage('', helpPages['interactive'] ?? '').flags.filter(({ name }) => !known.has(name));
  const print: FlagRow = { name: '-p', value: undefined, about: table.about, actions: undefined };
  return { ...table, flags: [print, ...table.flags, ...others] };
}

function flagsFor({ flags }: PageTable, action: string | undefined): Candidate[] {
  const taken = flags.filter(({ actions }) => !actions || action === undefined || actions.has(action));
  const help = { word: '--help', about: 'show the full help' };
  return [...taken.map(({ name, about }) => ({ word: name, about })), help];
}

function commands(): Candidate[] {
  const names = Object.keys(helpPages).filter((name) => /^\w/.test(name) && name !== 'interactive');
  return [
    ...names.map((name) => ({ word: name, about: readPage(name, helpPages[name] ?? '').about })),
    { word: 'help', about: 'the page of a command' },
  ];
}

const fitting = (candidates: readonly Candidate[], start: string): Candidate[] =>
  candidates.filter(({ word }) => word.startsWith(start));

const fittingValues = (values: Values, start: string): Values =>
  typeof values === 'string' ? values : fitting(values, start);

/** Loaded on demand: commands and flags are completed more often than values, and need far less code. */
async function valuesOf(placeholder: string, context: PlaceholderContext): Promise<Values> {
  return await (await import('./values.js')).valuesOf(placeholder, context);
}
