import { nearestWords } from '../../platform/text/similar-text.js';
import { table } from '../../platform/text/table.js';
import type { AnswerSection, CommandAnswer, CommandGroup, CommandSession, TerminalCommand } from '../contract.js';
import { problem, text, words } from './answers.js';

const MAX_OWN_NAMES = 6;
const groups: readonly CommandGroup[] = ['Conversation', 'Changes', 'Model', 'Session', 'Settings'];

export const help: TerminalCommand = {
  name: 'help',
  aliases: ['?'],
  group: 'Session',
  description: 'list commands and keys',
  argumentHint: '[command | keys]',
  complete: (typed, session) => words(typed, [...session.builtIn.map(({ name }) => name), 'keys']),

  async run(args, session) {
    const name = args.trim().replace(/^\//, '');
    const own = await session.commands();
    if (name === '') return overview(session, own);
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

function overview({ builtIn }: CommandSession, own: ReadonlyArray<{ name: string }>): CommandAnswer {
  const columns = Math.max(...builtIn.map(({ name }) => name.length)) + 3;
  const lineOf = ({ name, description }: TerminalCommand): string => `${`/${name}`.padEnd(columns)}${description}`;
  const sections: AnswerSection[] = groups.map((group) => {
    const members = builtIn.filter((command) => command.group === group);
    // Their names say what they set, and the list has to fit on a screen.
    const lines = group === 'Settings' ? [members.map(({ name }) => `/${name}`).join('  ')] : members.map(lineOf);
    return { title: group, lines };
  });
  const named = own.slice(0, MAX_OWN_NAMES).map(({ name }) => `/${name}`);
  const more = own.length > named.length ? [`and ${own.length - named.length} more`] : [];
  return {
    type: 'sections',
    isDense: true,
    sections: [
      ...sections,
      ...(own.length === 0 ? [] : [{ title: 'Yours', lines: [[...named, ...more].join(' ')] }]),
      { title: 'Also', lines: ['@file  !shell command  #note to remember  ? for keys  /help NAME'] },
    ],
  };
}
