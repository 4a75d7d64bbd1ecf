import { loginProvider, loginTitles } from '../models/sign-in/login-names.js';
import { messageOf } from '../platform/message-of.js';
import { visible } from '../platform/text/visible.js';
import { readArgs } from './args.js';
import { exitCode } from './exit-codes.js';
import { readPasted, showAddress, tell } from './sign-in-dialog.js';
import { onSignals } from './signals.js';
import { UsageProblem } from './usage-problem.js';
import { wrapped, writeLine } from './write-line.js';

/** Signs the user in to a provider of models. */
export async function login(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, { 'no-browser': { type: 'boolean' }, new: { type: 'boolean' } });
  const provider = namedProvider(positionals, 'login');
  const { logIn } = await import('../models/sign-in/provider-login.js');
  const { openBrowser } = await import('../platform/open-browser.js');
  const signals = onSignals(() => {});
  let paste: ((text: string) => void) | undefined;
  const pasted = readPasted((text) => paste?.(text));
  try {
    const sentences = await logIn(provider, {
      env: process.env,
      isNew: values.new === true,
      signal: signals.signal,
      onAddress(address, code) {
        const opening = values['no-browser'] ? Promise.resolve(false) : openBrowser(address, process.env);
        void opening.then((isOpened) =>
          code === undefined ? showAddress(address, isOpened) : showCode(address, code),
        );
      },
      onPaste(take) {
        paste = take;
      },
      onNotice: (text) => void tell(visible(text)),
    });
    for (const sentence of sentences) await writeLine(process.stdout, wrapped(visible(sentence), process.stdout));
    return exitCode.ok;
  } catch (error) {
    if (signals.signal.aborted) {
      await tell(`The sign-in to ${loginTitles[provider]} was stopped. Nothing was saved.`);
      return signals.exitCode ?? exitCode.failed;
    }
    await tell(visible(messageOf(error)));
    return exitCode.failed;
  } finally {
    pasted.close();
    signals.dispose();
  }
}

export function namedProvider(positionals: readonly string[], command: 'login' | 'logout') {
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) {
    throw new UsageProblem(`Use helve ${command} openai, openrouter or copilot.`);
  }
  const found = loginProvider(name);
  if ('problem' in found) throw new UsageProblem(found.problem);
  return found.provider;
}

async function showCode(address: string, code: string): Promise<void> {
  await writeLine(
    process.stdout,
    `Open ${visible(address)} in a browser on any machine, and enter this code:\n\n${visible(code)}\n`,
  );
}
