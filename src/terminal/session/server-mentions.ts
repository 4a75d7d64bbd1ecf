import type { FullEngine } from '../../compose/create-engine.js';
import type { Choice } from '../contract.js';

/** The resources of connected servers, as mentions after an @. Starts connecting the others. */
export async function serverMentions({ servers, session }: Pick<FullEngine, 'servers' | 'session'>): Promise<Choice[]> {
  void servers.start();
  const connected = servers.states().filter(({ status }) => status === 'connected');
  const lists = await Promise.all(connected.map(async ({ name }) => (await session.resources?.list(name)) ?? []));
  return lists
    .flat()
    .filter(({ uri, isTemplate }) => !isTemplate && /^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(uri))
    .map(({ server, uri, name, description }) => ({
      value: `${server}:${uri}`,
      description: [name, description].filter(Boolean).join(' · '),
    }));
}
