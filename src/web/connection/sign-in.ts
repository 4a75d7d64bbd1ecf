// Signing in: a token or a one-time code is exchanged for a cookie and a key. The cookie is not readable here; the key
// proves that the page is of this port, since cookies are shared by all ports of a host.
import type { Me } from './wire.js';

const KEY = 'helve.key';

export class SignInProblem extends Error {
  override readonly name = 'SignInProblem';
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}

export const storedKey = (): string | null => localStorage.getItem(KEY);

/** The code in the address, which is taken out of it at once: it must not stay in the history. */
export function takeCode(): string | undefined {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, '', location.pathname);
  return code;
}

export async function signIn(given: { token: string } | { code: string }): Promise<Me> {
  const answer = await fetch('/auth/exchange', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(given),
  }).catch(() => {
    throw new SignInProblem('The server does not answer.', 'Look whether helve serve still runs, then try again.');
  });
  if (!answer.ok) throw await problemIn(answer);
  const { key, ...me }: Me & { key: string } = await answer.json();
  localStorage.setItem(KEY, key);
  return me;
}

/** Undefined if no one is signed in; throws if the server can't be reached. */
export async function whoAmI(): Promise<Me | undefined> {
  const key = storedKey();
  if (key === null) return undefined;
  const answer = await fetch('/auth/me', { headers: { 'Helve-Key': key } });
  if (answer.status === 401 || answer.status === 403) return undefined;
  if (!answer.ok) throw await problemIn(answer);
  return await answer.json();
}

export async function signOut(): Promise<void> {
  const key = storedKey();
  localStorage.removeItem(KEY);
  await fetch('/auth/leave', { method: 'POST', headers: key === null ? {} : { 'Helve-Key': key } });
}

async function problemIn(answer: Response): Promise<SignInProblem> {
  const { error } = await answer.json().catch(() => ({}));
  return new SignInProblem(
    error?.message ?? `The server answered with ${answer.status}.`,
    error?.next ?? 'Look at the log of helve serve.',
  );
}
