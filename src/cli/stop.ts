// `helve stop`: interrupts background sessions and closes them.

import { existsSync } from 'node:fs';
import type { ListedPresence } from '../agent/store/presence.js';
import { stopUnfinished } from '../agent/store/stop-unfinished.js';
import { dataFolderOf } from '../platform/files/paths.js';
import { visible } from '../platform/text/visible.js';
import { readArgs } from './args.js';
import { elsewhere, findListed, SHORT_CHARS, sessionsHere } from './background/background-sessions.js';
import { runningHost } from './background/connect-host.js';
import { hostPlace } from './background/host-place.js';
import { exitCode } from './exit-codes.js';
import { UsageProblem } from './usage-problem.js';
import { writeLine } from './write-line.js';

const flags = { all: { type: 'boolean' } } as const;

export async function stop(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, flags);
  const dataFolder = dataFolderOf();
  if ((positionals.length === 0) !== (values.all === true)) {
    throw new UsageProblem('helve stop takes the ids of sessions, or last, or --all for all those in the background.');
  }
  const meant = values.all
    ? (await sessionsHere(dataFolder)).filter(({ surface, state, isLive }) => {
        return surface === 'background' && (isLive || state === 'waiting' || state === 'interrupted');
      })
    : await Promise.all(positionals.map((wanted) => findListed(dataFolder, wanted)));
  for (const session of meant) {
    if (session.surface !== 'background') {
      throw new UsageProblem(`${elsewhere(session)} End it there, or with kill ${session.owner.pid}.`);
    }
  }
  for (const session of meant) await stopOne(dataFolder, session);
  return exitCode.ok;
}

async function stopOne(dataFolder: string, { id, isLive, root, worktree }: ListedPresence): Promise<void> {
  const host = isLive ? await runningHost(hostPlace(dataFolder)) : undefined;
  let told: readonly string[] = [];
  let wasOpen = false;
  try {
    const answer = await host?.request('_helve/session/stop', { sessionId: id });
    wasOpen = answer?.['wasOpen'] === true;
    if (Array.isArray(answer?.['told'])) told = answer['told'].map(String);
  } finally {
    host?.close();
  }
  // A session whose host was killed needs no environment to be ended.
  if (!isLive) await stopUnfinished(dataFolder, id);
  if (worktree && !wasOpen) {
    const { endWorktreeAt } = await import('./worktree.js');
    told = await endWorktreeAt(root);
  }
  const short = id.slice(0, SHORT_CHARS);
  const next = existsSync(root) ? `To continue it: helve attach ${short}.` : `What it did: helve logs ${short}.`;
  await writeLine(process.stdout, `Stopped ${short}. ${next}`);
  for (const sentence of told) await writeLine(process.stderr, `helve: ${visible(sentence)}`);
}
