import { messageOf } from '../platform/message-of.js';
import { visible } from '../platform/text/visible.js';
import { readArgs } from './args.js';
import { exitCode } from './exit-codes.js';
import { namedProvider } from './login.js';
import { tell } from './sign-in-dialog.js';
import { onSignals } from './signals.js';
import { wrapped, writeLine } from './write-line.js';

/** Removes a sign-in to a provider, here and at the provider. */
export async function logout(argv: readonly string[]): Promise<number> {
  const provider = namedProvider(readArgs(argv, {}).positionals, 'logout');
  const { logOut } = await import('../models/sign-in/provider-login.js');
  const signals = onSignals(() => {});
  try {
    await writeLine(process.stdout, wrapped(await logOut(provider, process.env, signals.signal), process.stdout));
    return exitCode.ok;
  } catch (error) {
    await tell(visible(messageOf(error)));
    return exitCode.failed;
  } finally {
    signals.dispose();
  }
}
