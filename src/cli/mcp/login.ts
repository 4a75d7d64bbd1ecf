import { createInterface } from 'node:readline';
import { messageOf } from '../../platform/message-of.js';
import { visible } from '../../platform/text/visible.js';
import { readArgs } from '../args.js';
import { exitCode } from '../exit-codes.js';
import { UsageProblem } from '../usage-problem.js';
import { wrapped, writeLine } from '../write-line.js';
import { withServers } from './connect-servers.js';
import { findServer, knownServers, serverFlags } from './known-servers.js';
import { stateOf } from './show-server.js';

const USAGE = 'Use helve mcp login NAME [--no-browser] [--scope SCOPE].';

/** Signs the user in to a server that requires OAuth. */
export async function login(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, {
    ...serverFlags,
    'no-browser': { type: 'boolean' },
    scope: { type: 'string', short: 's', multiple: true },
  });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw new UsageProblem(USAGE);
  const { servers } = await knownServers(values);
  const server = findServer(name, servers);
  if (server.state !== 'trusted') {
    throw new UsageProblem(
      `The MCP server ${name} is not used here (${stateOf(server)}), so there is no sign-in to it.`,
    );
  }
  const scope = values.scope?.join(' ').trim();
  return await withServers([server], values, async (connected, signal) => {
    const stop = new AbortController();
    const pasted = readPasted((text) => connected.pasteAddress(name, text));
    try {
      await connected.signIn(name, {
        scope: scope === '' ? undefined : scope,
        opensBrowser: values['no-browser'] !== true,
        signal: AbortSignal.any([signal, stop.signal]),
        onAddress: (address, isOpened) => void show(address, isOpened),
      });
    } catch (error) {
      if (signal.aborted) {
        await tell(`The sign-in to ${name} was stopped.`);
        return exitCode.interrupted;
      }
      await tell(`The sign-in to ${name} failed. ${visible(messageOf(error))}`);
      return exitCode.failed;
    } finally {
      stop.abort();
      pasted.close();
    }
    const state = connected.states().find((one) => one.name === name);
    await writeLine(process.stdout, `Signed in to ${name}.`);
    if (state?.status === 'connected') return exitCode.ok;
    await tell(visible(state?.detail ?? `${name} did not connect.`));
    return exitCode.failed;
  });
}

async function show(address: string, isOpened: boolean): Promise<void> {
  const before = isOpened
    ? 'A browser was opened. If you do not see it, open this address:'
    : 'Open this address in a browser, on this machine or another one:';
  await writeLine(process.stdout, `${before}\n\n${visible(address)}\n`);
  const after =
    "If the browser then shows a page that can't be loaded, because it runs on another machine, paste the address of that page here and press Enter.";
  await writeLine(process.stdout, wrapped(after, process.stdout));
}

/** Lines of standard input are addresses that the browser ended at. */
function readPasted(take: (text: string) => void): { close(): void } {
  const lines = createInterface({ input: process.stdin, terminal: false });
  lines.on('line', (line) => {
    if (line.trim() === '') return;
    try {
      take(line);
    } catch (error) {
      void tell(visible(messageOf(error)));
    }
  });
  return {
    close: () => {
      lines.close();
      process.stdin.pause();
      process.stdin.unref?.(); // a pipe that stays open would keep the process running
    },
  };
}

const tell = async (text: string): Promise<void> =>
  await writeLine(process.stderr, wrapped(`helve: ${text}`, process.stderr));
