import { nearestWords } from '../../platform/text/similar-text.js';
import { table } from '../../platform/text/table.js';
import type { CommandSession, TerminalCommand } from '../contract.js';
import { problem, text, words } from './answers.js';

const MAX_OWN_LINES = 3;
const MAX_KEY_LINES = 6;
const WIDTH = 78;

export const help: TerminalCommand = {
  name: 'help',
  aliases: ['?'],
  description: 'list commands and keys',
  argumentHint: '[command]',
  complete: (typed, session) =>
    words(
      typed,
      session.builtIn.map(({ name }) => name),
    ),

  async run(args, session) {
    const name = args.trim().replace(/^\//, '');
    const own = await session.commands();
    if (name === '') return text(...overview(session), ...ownLines(own));
    if (name === 'keys') return text(...table(session.keys.map(({ keys, about }) => [keys, about])));
    const found = session.builtIn.find((command) => command.name === name || command.aliases?.includes(name));
    const { description, argumentHint } = found ?? own.find((command) => command.name === name) ?? {};
    if (description !== undefined)
      return text(`/${[name, argumentHint].filter(Boolean).join(' ')}`, `  ${description}`);
    const [nearest] = nearestWords(
      name,
      [...session.builtIn, ...own].map((command) => command.name),
    );
    return problem(`There is no command /${name}.${nearest === undefined ? '' : ` Did you mean /${nearest}?`}`);
  },
};

function overview({ builtIn, keys }: CommandSession): string[] {
  const lines = packed(keys.map((key) => `${key.keys} ${key.about}`));
  return [
    'Commands; /help NAME describes one',
    ...table(builtIn.map(({ name, description }) => [`/${name}`, description])),
    '@file names a file · !command runs in the shell · #note is remembered',
    ...lines.slice(0, MAX_KEY_LINES),
    ...(lines.length > MAX_KEY_LINES ? ['  … /help keys lists all keys'] : []),
  ];
}

function ownLines(own: ReadonlyArray<{ name: string; description: string }>): string[] {
  if (own.length === 0) return [];
  const names = packed(own.map(({ name }) => `/${name}`));
  const isAll = names.length <= MAX_OWN_LINES;
  return ['Your own', ...names.slice(0, MAX_OWN_LINES), ...(isAll ? [] : ['  … Tab after a slash shows all'])];
}

/** As many per line as fit. */
function packed(parts: readonly string[]): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + part.length + 3 <= WIDTH) lines[lines.length - 1] = `${last} · ${part}`;
    else lines.push(`  ${part}`);
  }
  return lines;
}
