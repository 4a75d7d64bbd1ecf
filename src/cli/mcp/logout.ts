import { type SignedOut, SignIns } from '../../mcp/auth/sign-ins.js';
import { readConfig } from '../../mcp/client/config.js';
import { dataFolderOf } from '../../platform/files/paths.js';
import { messageOf } from '../../platform/message-of.js';
import { visible } from '../../platform/text/visible.js';
import { readArgs, settingsOptions } from '../args.js';
import { exitCode } from '../exit-codes.js';
import { onSignals } from '../signals.js';
import { UsageProblem } from '../usage-problem.js';
import { writeLine } from '../write-line.js';
import { findServer, knownServers, serverFlags } from './known-servers.js';

/** Forgets a sign-in, here and at the authorization server. Connects to no server. */
export async function logout(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, serverFlags);
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw new UsageProblem('Use helve mcp logout NAME.');
  const { servers } = await knownServers(values);
  const { entry, scope } = findServer(name, servers);
  const read = readConfig({ name, entry, source: scope }, process.env);
  if ('problem' in read) throw new UsageProblem(read.problem);
  const dataFolder = dataFolderOf(settingsOptions(values));
  const signIns = new SignIns({ env: process.env, dataFolder, askUser: undefined, onNotice: () => {} });
  const signals = onSignals(() => {});
  try {
    signIns.of(name, read.config);
    const result = await signIns.signOut(name, signals.signal);
    await writeLine(process.stdout, sentences[result](name));
    return exitCode.ok;
  } catch (error) {
    await writeLine(process.stderr, `helve: ${visible(messageOf(error))}`);
    return exitCode.failed;
  } finally {
    signals.dispose();
  }
}

const sentences: Readonly<Record<SignedOut, (name: string) => string>> = {
  revoked: (name) => `Signed out of ${name}. Its tokens were removed here and revoked at the authorization server.`,
  removed: (name) =>
    `Signed out of ${name}. Its tokens were removed here. The authorization server did not revoke them; they end when they expire.`,
  'not signed in': (name) => `You were not signed in to ${name}.`,
};
