// What a session of a fleet has changed, from its records alone: the files are on the workers.
import { isAbsolute, relative } from 'node:path';
import type { RestoredSession } from '../../agent/store/restored-session.js';
import { asCalls } from '../../agent/undo/undo-calls.js';
import type { ChangedFile, SessionChangesPage } from '../../host/session-changes.js';
import { listChanges } from '../../platform/journal/journal.js';

const MAX_FILES = 200;
const NOT_HERE = 'the files are on the worker; helve undo works there';

export async function fleetChanges(
  dataFolder: string,
  { sessionId, root }: { sessionId: string; root: string },
  { displays }: Pick<RestoredSession, 'displays'>,
): Promise<SessionChangesPage> {
  const changes = await listChanges(dataFolder, sessionId);
  const open = new Set(
    asCalls(changes)
      .filter(({ undoes, undoneBy }) => !undoes && undoneBy === undefined)
      .map(({ callId }) => callId),
  );
  const files = new Map<string, { wasThere: boolean; isThere: boolean; calls: Map<string, string> }>();
  for (const { callId, at, files: changed } of changes) {
    if (!open.has(callId)) continue;
    for (const { real, before, after, otherBefore, otherAfter } of changed) {
      const wasThere = before !== null || otherBefore !== undefined;
      const known = files.get(real) ?? { wasThere, isThere: true, calls: new Map<string, string>() };
      known.isThere = after !== null || otherAfter !== undefined;
      known.calls.set(callId, at);
      files.set(real, known);
    }
  }
  const shown = [...files].slice(0, MAX_FILES).map(([real, { wasThere, isThere, calls }]): ChangedFile => {
    const patches = [...calls.keys()].flatMap((callId) => {
      const body = displays.get(callId)?.body;
      return body?.type === 'diff' && body.patch !== '' ? [body.patch] : [];
    });
    const patch = patches.join('\n');
    const count = (sign: string): number =>
      patch.split('\n').filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
    const path = relative(root, real);
    return {
      path: path.startsWith('..') || isAbsolute(path) ? real : path,
      status: wasThere ? (isThere ? 'modified' : 'deleted') : 'added',
      patch: patch === '' ? '(a command has changed it: its content is on the worker)' : patch,
      isBinary: false,
      added: count('+'),
      removed: count('-'),
      calls: [...calls].map(([callId, at]) => ({ callId, at, canUndo: false, problem: NOT_HERE })),
    };
  });
  return { files: shown, more: files.size - shown.length };
}
