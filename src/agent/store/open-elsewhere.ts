// A session that another process uses: who that is, for people, and which session can be continued instead.
import { shownAge } from '../../platform/text/age.js';
import { listSessions } from './list-sessions.js';
import { readPresence, type Surface } from './presence.js';
import { redactSecrets, secretsIn } from './redact-secrets.js';
import { sessionFolder } from './session-folder.js';
import { whoUses } from './session-lock.js';

export interface NamedSession {
  id: string;
  /** Its title in quotation marks, and how long ago it was used. */
  name: string;
}

export interface OpenElsewhere extends NamedSession {
  /** Where it is open: "in another terminal (process 123)". */
  place: string;
  isInBackground: boolean;
  /** The session of the folder that was used last among those that are open nowhere. */
  other?: NamedSession;
}

/** Undefined if no process uses the session. */
export async function openElsewhere(
  dataFolder: string,
  id: string,
  { root, env }: { root: string; env: Readonly<Record<string, string | undefined>> },
): Promise<OpenElsewhere | undefined> {
  const holder = await whoUses(sessionFolder(dataFolder, id));
  if (!holder) return undefined;
  const secrets = secretsIn(env);
  const now = new Date();
  const sessions = (await listSessions(dataFolder, { root })).map(({ title, updated, ...session }) => ({
    ...session,
    name: `“${redactSecrets(title, secrets) || session.id.slice(0, 8)}” (${shownAge(updated, now)})`,
  }));
  const used = sessions.find((session) => session.id === id);
  const other = sessions.find((session) => !session.inUse);
  const surface = readPresence(dataFolder, id)?.surface;
  const isInBackground = surface === 'background';
  const who = [holder.pid === undefined ? '' : `process ${holder.pid}`, holder.host ?? ''].filter(Boolean).join(' on ');
  return {
    id,
    name: used?.name ?? `The session ${id.slice(0, 8)}`,
    place: `${places[surface ?? 'other']}${isInBackground || who === '' ? '' : ` (${who})`}`,
    isInBackground,
    ...(other && { other: { id: other.id, name: other.name } }),
  };
}

const places: Readonly<Record<Surface | 'other', string>> = {
  terminal: 'open in another terminal',
  print: 'in use by helve -p',
  acp: 'open in an editor',
  background: 'at work in the background',
  other: 'open in another Helve',
};
