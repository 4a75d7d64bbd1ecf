import { counted } from '../../platform/text/counted.js';
import { shortTime } from '../../platform/text/short-amounts.js';
import { nearestWords } from '../../platform/text/similar-text.js';
import type { CommandAnswer, CommandSession, ShownServer, TerminalCommand } from '../contract.js';
import { firstWord, fitted, problem, text, words } from './answers.js';

export const mcp: TerminalCommand = {
  name: 'mcp',
  group: 'Session',
  description: 'show MCP servers, reconnect, sign in',
  argumentHint: '[server | reconnect, login, logout or approve server]',
  complete: (typed, { servers }) =>
    words(typed, [
      ...['', 'reconnect ', 'login ', 'logout '].flatMap((action) => servers.map(({ name }) => `${action}${name}`)),
      ...servers.filter(({ changedTools }) => changedTools.length > 0).map(({ name }) => `approve ${name}`),
    ]),

  async run(args, session) {
    await session.refresh(); // a server may have been added meanwhile
    await session.connectServers();
    const isStarting = session.servers.some(({ status }) => signs[status] === undefined);
    if (args.trim() === '' && isStarting) {
      const began = performance.now();
      const lines = (): string[] => overviewLines(session, performance.now() - began);
      return { type: 'live', lines, settled: session.serversSettled() };
    }
    if (args.trim() === '') return overview(session);
    const [first, second] = firstWord(args);
    if (first === 'approve' && second !== '') return await approve(second, session);
    const name = actions.has(first) && second !== '' ? second : args.trim();
    const find = (): ShownServer | undefined => session.servers.find((one) => one.name === name);
    if (find() && first === 'reconnect') await session.reconnect(name);
    if (find() && first === 'login' && second !== '') return await signIn(name, session);
    if (find() && first === 'logout' && second !== '') return text(await session.signOut(name));
    const server = find();
    return server ? details(server) : noServer(name, session);
  },
};

const actions: ReadonlySet<string> = new Set(['reconnect', 'login', 'logout']);

async function signIn(name: string, session: CommandSession): Promise<CommandAnswer> {
  if (session.isSigningIn(name)) {
    return {
      type: 'ask',
      title: `Paste the address at which the browser ended after the sign-in to ${name}`,
      isSecret: true, // it contains a code
      verb: 'sign in',
      async answer(address) {
        session.pasteAddress(name, address);
        return text('Checking the answer.');
      },
    };
  }
  await session.signIn(name);
  return text(
    session.isSigningIn(name)
      ? 'Waiting for the browser. You can go on meanwhile.'
      : `To try again: /mcp login ${name}`,
  );
}

function noServer(name: string, { servers }: CommandSession): CommandAnswer {
  const [nearest] = nearestWords(
    name,
    servers.map((one) => one.name),
  );
  return problem(
    `There is no MCP server "${name}".${nearest === undefined ? ' /mcp lists the servers.' : ` Did you mean "${nearest}"?`}`,
  );
}

/** Shows the changes of a server's tools, or of one tool, and approves exactly these if the person says so. */
async function approve(words: string, session: CommandSession): Promise<CommandAnswer> {
  const named = session.servers.find(({ name }) => words === name || words.startsWith(`${name} `));
  if (!named) return noServer(words, session);
  const { name } = named;
  const tool = words.slice(name.length).trim();
  const all = await session.toolChanges(name);
  const changes = tool === '' ? all : all.filter((change) => change.tool === tool);
  if (changes.length === 0) {
    return text(
      tool === ''
        ? `No change of ${name} waits for approval.`
        : `No change of ${name} named "${tool}" waits for approval.`,
    );
  }
  return {
    type: 'choose',
    title: `Approve ${counted(changes.length, 'change')} of ${name}?`,
    text: 'The model gets the new text, which is the words of the server, once you approve it.',
    changes: changes.map((change) => ({ title: change.tool, path: change.tool, patch: change.patch })),
    items: [
      { value: 'no', label: 'Keep holding back' },
      { value: 'yes', label: 'Approve' },
    ],
    async choose(value) {
      if (value !== 'yes') return { type: 'done' };
      await session.approveTools(name, changes);
      return text(`The model gets ${changes.map((change) => change.tool).join(', ')} of ${name} again.`);
    },
  };
}

function overview(session: CommandSession): CommandAnswer {
  return fitted(overviewLines(session));
}

/** `waitedMs`: since the user asked. */
function overviewLines({ servers, settings }: CommandSession, waitedMs = 0): string[] {
  const unused = settings.entries.filter(({ key, ignored }) => key === 'mcpServers' && ignored !== undefined);
  if (servers.length === 0 && unused.length === 0) {
    return ['No MCP servers. To add one, in a shell: helve mcp add NAME -- COMMAND'];
  }
  const isUntrusted = unused.some(({ ignored }) => /trusted/.test(ignored ?? ''));
  const unsigned = servers.filter(({ status }) => status === 'needs-auth');
  const failed = servers.filter(({ status }) => status === 'failed');
  const changed = servers.filter(({ changedTools }) => changedTools.length > 0);
  return [
    ...servers.map((server) => `${signOf(server)} ${server.name}: ${stateOf(server, waitedMs)}`),
    ...unused.map(({ name, ignored, origin }) => `– ${name ?? ''}: not used: ${ignored} (${origin.file})`),
    ...failed.map(({ name }) => `Details: /mcp ${name}. To retry: /mcp reconnect ${name}`),
    ...unsigned.map(({ name }) => `To sign in: /mcp login ${name}`),
    ...changed.map(({ name }) => `To see and approve what changed: /mcp approve ${name}`),
    ...(isUntrusted ? ['To review and trust untrusted servers: /trust'] : []),
  ];
}

/** The states that stay; a server in another one is still starting. */
const signs: Readonly<Record<string, string>> = { connected: '✓', failed: '✗', 'needs-auth': '!', disabled: '–' };

const signOf = ({ status }: ShownServer): string => signs[status] ?? '…';

function stateOf({ name, status, detail, tools, setAside, changedTools }: ShownServer, waitedMs = 0): string {
  const facts = status === 'connected' ? [counted(tools, 'tool')] : [];
  const aside = setAside.length === 0 ? [] : [`${setAside.length} not used`];
  return [
    stateWord(status, waitedMs),
    ...facts,
    ...aside,
    ...(changedTools.length === 0 ? [] : [`${changedTools.length} changed and held back`]),
    ...(detail === undefined || isSaid(detail) ? [] : [withoutName(detail, name)]),
  ].join(', ');
}

/** The plain request to sign in, which the state and the line below say already. */
const isSaid = (detail: string): boolean => /needs a sign-in\. To sign in:/.test(detail);

/** The server's name is already shown before it. */
const withoutName = (detail: string, name: string): string => detail.replace(`The MCP server ${name} `, '');

function stateWord(status: string, waitedMs: number): string {
  if (signs[status] === undefined) return `connecting${waitedMs < 1_000 ? '' : `, waited ${shortTime(waitedMs)}`}`;
  return status === 'needs-auth' ? 'needs sign-in' : status;
}

function details(server: ShownServer): CommandAnswer {
  const said = server.errorOutput.trim();
  return fitted([
    `${signOf(server)} ${server.name}: ${stateOf(server)}`,
    ...server.setAside.map(({ tool, why }) => `  ${tool} is not used: ${why}`),
    ...(server.status === 'needs-auth' ? [`To sign in: /mcp login ${server.name}`] : []),
    ...server.changedTools.map((tool) => `  ${tool} has changed and is held back: /mcp approve ${server.name} ${tool}`),
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
