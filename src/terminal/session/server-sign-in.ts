import type { FullEngine } from '../../compose/create-engine.js';
import { messageOf } from '../../platform/message-of.js';

type Servers = FullEngine['servers'];

/** Resolves once the address is known; the prompt is free while the browser is open. */
export async function beginSignIn(server: string, servers: Servers, tell: (text: string) => void): Promise<void> {
  const shown = Promise.withResolvers<void>();
  const { signal } = new AbortController(); // ended by the session, or by another sign-in to this server
  const onAddress = (address: string, isOpened: boolean): void => {
    const first = isOpened ? 'A browser was opened. If you do not see it, open' : 'Open in a browser';
    tell(`${first}: ${address}`);
    tell(
      `If the browser ends at a page that can't be loaded, enter /mcp login ${server} again, and paste its address.`,
    );
    shown.resolve();
  };
  servers.signIn(server, { opensBrowser: true, signal, onAddress }).then(
    () => tell(outcome(server, servers)),
    (error: unknown) => {
      tell(`The sign-in to ${server} failed. ${messageOf(error)}`);
      shown.resolve();
    },
  );
  await shown.promise;
}

function outcome(server: string, servers: Servers): string {
  const { status, detail } = servers.states().find(({ name }) => name === server) ?? {};
  return status === 'connected' || detail === undefined ? `Signed in to ${server}.` : detail;
}

export async function signOut(server: string, servers: Servers): Promise<string> {
  switch (await servers.signOut(server, AbortSignal.timeout(30_000))) {
    case 'revoked':
      return `Signed out of ${server}. Its tokens were removed here and revoked at the authorization server.`;
    case 'removed':
      return `Signed out of ${server}. Its tokens were removed here; they end when they expire.`;
    default:
      return `You were not signed in to ${server}.`;
  }
}
