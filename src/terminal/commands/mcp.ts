import { counted } from '../../platform/text/counted.js';
import { nearestWords } from '../../platform/text/similar-text.js';
import type { CommandAnswer, CommandSession, ShownServer, TerminalCommand } from '../contract.js';
import { firstWord, fitted, problem, text, words } from './answers.js';

export const mcp: TerminalCommand = {
  name: 'mcp',
  description: 'MCP servers and their state; reconnect one',
  argumentHint: '[server | reconnect server]',
  complete: (typed, { servers }) =>
    words(typed, [...servers.map(({ name }) => name), ...servers.map(({ name }) => `reconnect ${name}`)]),

  async run(args, session) {
    await session.refresh(); // a server may have been added meanwhile
    await session.connectServers();
    if (args.trim() === '') return overview(session);
    const [first, second] = firstWord(args);
    const name = first === 'reconnect' && second !== '' ? second : args.trim();
    const find = (): ShownServer | undefined => session.servers.find((one) => one.name === name);
    if (find() && first === 'reconnect') await session.reconnect(name);
    const server = find();
    if (server) return details(server);
    const [nearest] = nearestWords(
      name,
      session.servers.map((one) => one.name),
    );
    return problem(`There is no MCP server "${name}".${nearest === undefined ? '' : ` Did you mean "${nearest}"?`}`);
  },
};

function overview({ servers, settings }: CommandSession): CommandAnswer {
  const unused = settings.entries.filter(({ key, ignored }) => key === 'mcpServers' && ignored !== undefined);
  if (servers.length === 0 && unused.length === 0) {
    return text('No MCP servers. To add one, in a shell: helve mcp add NAME -- COMMAND');
  }
  const isUntrusted = unused.some(({ ignored }) => /trusted/.test(ignored ?? ''));
  const failed = servers.find(({ status }) => status === 'failed');
  return fitted(
    [
      ...servers.map((server) => `${signOf(server)} ${server.name}: ${stateOf(server)}`),
      ...unused.map(({ name, ignored, origin }) => `– ${name ?? ''}: not used: ${ignored} (${origin.file})`),
    ],
    {
      last: [
        ...(failed ? [`Details: /mcp ${failed.name}. To retry: /mcp reconnect ${failed.name}`] : []),
        ...(isUntrusted ? ['To review and trust untrusted servers: helve config trust'] : []),
      ],
    },
  );
}

const signOf = ({ status }: ShownServer): string =>
  status === 'connected' ? '✓' : status === 'failed' ? '✗' : status === 'disabled' ? '–' : '…';

function stateOf({ name, status, detail, tools, setAside }: ShownServer): string {
  const facts = status === 'connected' ? [counted(tools, 'tool')] : [];
  const aside = setAside.length === 0 ? [] : [`${setAside.length} not used`];
  return [status, ...facts, ...aside, ...(detail === undefined ? [] : [withoutName(detail, name)])].join(', ');
}

/** The server's name is already shown before it. */
const withoutName = (detail: string, name: string): string => detail.replace(`The MCP server ${name} `, '');

function details(server: ShownServer): CommandAnswer {
  const said = server.errorOutput.trim();
  return fitted([
    `${signOf(server)} ${server.name}: ${stateOf(server)}`,
    ...server.setAside.map(({ tool, why }) => `  ${tool} is not used: ${why}`),
    ...(server.status === 'failed' ? [`To retry: /mcp reconnect ${server.name}`] : []),
    ...(said === ''
      ? []
      : [
          'It wrote last:',
          ...said
            .split('\n')
            .slice(-20)
            .map((line) => `  ${line}`),
        ]),
  ]);
}
