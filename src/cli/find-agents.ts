import { readAgentTypes } from '../agent/children/agent-files.js';
import {
  holdsAgents,
  type PersonalPlaces,
  personalAgentFolders,
  projectAgentFolders,
} from '../agent/children/agent-places.js';
import { shortPath } from '../platform/files/paths.js';
import { visible } from '../platform/text/visible.js';
import type { DoctorFinding } from './doctor.js';

const what = 'Agents';

/** The custom agent types here. Prints nothing if there are none. */
export async function findAgents(
  place: PersonalPlaces & { root: string; isTrusted: boolean },
): Promise<DoctorFinding[]> {
  const { root, isTrusted } = place;
  const ofProject = projectAgentFolders(root).filter(holdsAgents);
  const { types, problems } = await readAgentTypes([...(isTrusted ? ofProject : []), ...personalAgentFolders(place)]);
  const waiting = isTrusted ? [] : ofProject.map((folder) => shortPath(root, folder));
  const names = types.map(({ name }) => name).join(', ');
  return [
    ...(names === '' ? [] : [{ what, state: 'ok' as const, detail: names }]),
    ...problems.map((problem) => ({ what, state: 'broken' as const, detail: visible(problem) })),
    ...waiting.map((folder) => ({
      what,
      state: 'missing' as const,
      detail: `those in ${folder} are ignored: this folder is not trusted. See helve config trust.`,
    })),
  ];
}
