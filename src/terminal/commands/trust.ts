import { projectInstructions } from '../../agent/instructions/instruction-files.js';
import { itemWords, trustFacts } from '../../display/trust-words.js';
import { followInstructions, trustFolder } from '../../settings/trust.js';
import type { CommandAnswer, CommandSession, TerminalCommand } from '../contract.js';
import { text } from './answers.js';

export const trust: TerminalCommand = {
  name: 'trust',
  group: 'Settings',
  echo: 'answered',
  description: 'show and decide what this folder may do',

  async run(_, session) {
    await session.refresh();
    const { folder, state, pending, followsInstructions = false } = session.settings.trust;
    const names = projectInstructions({ root: session.root, home: session.home }).map(({ shown }) => shown);
    const files = names.join(', ');
    const { groups } = trustFacts(session.settings.trust, { home: [] });
    const waits = pending.filter(({ key }) => key !== 'instructions');
    const isAsked = names.length > 0 && !followsInstructions;
    if (waits.length === 0 && !isAsked) {
      const follows = names.length > 0 ? [`The model follows ${files}.`] : [];
      const words = state === 'trusted' ? 'is trusted' : 'has nothing that waits for trust';
      return text(`${folder} ${words}.`, ...follows, 'To take trust back, in a shell: helve config untrust');
    }
    const it = names.length === 1 ? 'it' : 'them';
    const items = [
      ...(waits.length > 0 ? [{ value: 'all', key: 'y', label: 'Yes, trust the folder, with all of this' }] : []),
      ...(isAsked
        ? [{ value: 'instructions', key: waits.length > 0 ? 'i' : 'y', label: followWords(it, waits.length > 0) }]
        : []),
      { value: 'no', key: 'n', label: 'No, leave it as it is' },
    ];
    return {
      type: 'choose',
      title: 'Do you trust this folder?',
      text: [
        ...groups.flatMap(({ file, items }) => [file, ...items.map((item) => `  ${itemWords(item)}`)]),
        ...(names.length > 0
          ? [`${files}: ${isAsked ? `the model gets ${it} as notes` : `the model follows ${it}`}`]
          : []),
      ].join('\n'),
      items,
      focus: items.length - 1,
      choose: async (value) => await decide(value, files, session),
    };
  },
};

const followWords = (it: string, isPart: boolean): string =>
  isPart ? 'Follow the instructions, and nothing else' : `Yes, follow ${it}`;

async function decide(value: string, files: string, session: CommandSession): Promise<CommandAnswer> {
  const { folder, covered } = session.settings.trust;
  const { dataFolder } = session;
  if (value === 'instructions') {
    await followInstructions(folder, { dataFolder });
    await session.refresh();
    return text(`The model follows ${files} from the next prompt on.`);
  }
  if (value !== 'all') return { type: 'done' };
  await trustFolder(folder, covered, { dataFolder });
  await session.refresh();
  return text('The folder is trusted. Its rules apply now; /clear starts a conversation with its hooks and servers.');
}
