import { leftWords } from '../../agent/budget/budget-words.js';
import type { CommandSession, TerminalCommand } from '../contract.js';
import { goalWords } from './goal.js';

export const status: TerminalCommand = {
  name: 'status',
  group: 'Session',
  description: 'show version, model, mode, session and files',

  async run(_, session) {
    const { version, model, mode, root, cwd, id, dataFolder, settings, servers, additionalDirectories } = session;
    const title = await session.title();
    const waits = settings.trust.pending.length > 0;
    const files = settings.files.map(({ kind, file }) => {
      const isProject = kind === 'project' || kind === 'local';
      return `${kind.padEnd(9)}${file}${waits && isProject ? ' (ignored where it needs trust: /trust)' : ''}`;
    });
    const connected = servers.filter(({ status: state }) => state === 'connected').length;
    return {
      type: 'sections',
      sections: [
        {
          title: `Helve ${version}`,
          lines: rows([
            ['model', model ?? 'none: /model chooses one'],
            ['effort', session.effort.current ?? 'default of the model'],
            ['mode', modeWords[mode]],
            ['folder', cwd === root ? root : `${root} (now in ${cwd})`],
            ...additionalDirectories.map((folder) => ['also', folder] as const),
          ]),
        },
        {
          title: 'Session',
          lines: rows([
            ['name', title === '' ? 'none yet' : title],
            ['id', id],
            ['servers', servers.length === 0 ? 'none' : `${connected} of ${servers.length} MCP servers connected`],
            ['commands', sandboxWords(session)],
            ...(session.goals?.stored ? [['goal', goalWords(session.goals.stored)] as const] : []),
            ...(session.loop.described === undefined ? [] : [['loop', session.loop.described] as const]),
            ...session.budget.map((use, index) => [index === 0 ? 'budget' : '', leftWords(use)] as const),
          ]),
        },
        {
          title: 'Files',
          lines: [
            ...rows([['data', dataFolder]]),
            ...(files.length === 0
              ? rows([['settings', 'none']])
              : rows(files.map((file, index) => [index === 0 ? 'settings' : '', file] as const))),
          ],
        },
      ],
    };
  },
};

const rows = (pairs: ReadonlyArray<readonly [string, string]>): string[] =>
  pairs.map(([name, value]) => `  ${name.padEnd(10)}${value}`);

export const modeWords: Readonly<Record<CommandSession['mode'], string>> = {
  default: 'default: asks before it changes anything',
  acceptEdits: 'accept edits: edits of files in the project need no question',
  plan: 'plan: reads and plans, changes nothing',
  dontAsk: "don't ask: refuses what would need a question",
  bypassPermissions: 'bypass permissions: asks about nothing',
};

/** Where commands run: those that a person approves, and those that need no question. */
function sandboxWords({ confinement: { sandbox, walls } }: CommandSession): string {
  if (sandbox) {
    return walls === 'none'
      ? 'the sandbox is on for commands that you approve; this machine can confine no others'
      : 'the sandbox is on: every command runs in it';
  }
  const off = 'the sandbox is off: commands that you approve can do what you can';
  if (walls === undefined) return off;
  return walls === 'full'
    ? `${off}; those that need no question can only read`
    : `${off}, and so can those that need no question`;
}
