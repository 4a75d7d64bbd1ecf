import { messageOf } from '../../platform/message-of.js';
import { visible } from '../../platform/text/visible.js';
import { readArgs } from '../args.js';
import { exitCode } from '../exit-codes.js';
import { readPasted, showAddress, tell } from '../sign-in-dialog.js';
import { UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';
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
        onAddress: (address, isOpened) => void showAddress(address, isOpened),
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
