import { startProcess } from './shell/start-process.js';

type Environment = Readonly<Record<string, string | undefined>>;

const STARTED_MS = 1_500; // an opener that runs longer has shown the page, or is the browser itself

/**
 * Opens an address in the user's browser: `BROWSER`, else the opener of the system. Only https addresses and addresses
 * of this machine. Resolves with false if there is no browser that could be started.
 */
export async function openBrowser(address: string, env: Environment): Promise<boolean> {
  const url = URL.parse(address);
  if (!url || !mayOpen(url)) return false;
  for (const [program = '', ...args] of openers(url.href, env)) {
    if (await starts(program, args, env)) return true;
  }
  return false;
}

const mayOpen = ({ protocol, hostname, username, password }: URL): boolean =>
  username === '' &&
  password === '' &&
  (protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)));

/** Argument lists: no shell reads the address. */
function openers(address: string, env: Environment): string[][] {
  const named = (env['BROWSER'] ?? '').split(':').flatMap((entry) => {
    const words = entry.split(/\s+/).filter((word) => word !== '');
    if (words.length === 0) return [];
    const isTemplate = words.some((word) => word.includes('%s'));
    return [isTemplate ? words.map((word) => word.replaceAll('%s', () => address)) : [...words, address]];
  });
  if (named.length > 0) return named;
  if (process.platform === 'darwin') return [['open', address]];
  if (process.platform === 'win32') return [['rundll32', 'url.dll,FileProtocolHandler', address]];
  const hasScreen = Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['WSL_DISTRO_NAME']);
  return hasScreen
    ? [
        ['xdg-open', address],
        ['wslview', address],
      ]
    : [];
}

async function starts(program: string, args: readonly string[], env: Environment): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  try {
    const child = startProcess(program, args, { env: { ...env }, stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
    child.unref();
  } catch {
    return false;
  }
  const timer = setTimeout(() => resolve(true), STARTED_MS);
  return await promise.finally(() => clearTimeout(timer));
}
