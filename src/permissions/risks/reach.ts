// The order in which risks are shown: what can't be undone first, and of that what reaches furthest.
import { type Risk, type RiskKind, riskKinds } from '../../contract/permission.js';

/**
 * How far a risk reaches, the furthest first. `disks`: a whole disk, the root or the home folder. `outside`: files of
 * this machine outside the project. `others`: other machines and people, which may get
 * to know a secret or whose code runs here. `machine`: its settings, rights and services.
 */
const reaches = ['disks', 'outside', 'others', 'machine', 'project'] as const;

export type Reach = (typeof reaches)[number];

/** Unless the risk names another one. */
const usualReach: Readonly<Record<RiskKind, Reach>> = {
  rewrites_history: 'project',
  remote_change: 'others',
  publishes: 'others',
  downloaded_code: 'others',
  secrets: 'others',
  privileges: 'machine',
  deletes: 'project',
  overwrites: 'project',
  startup: 'machine',
  writes_outside: 'machine',
  network: 'others',
  unknown: 'machine',
};

/** A risk before it is shown. */
export interface ReachingRisk extends Risk {
  reach?: Reach | undefined;
}

export const furthestFirst = (risks: readonly ReachingRisk[]): Risk[] =>
  risks.toSorted((one, other) => rank(one) - rank(other)).map(({ reach: _, ...risk }) => risk);

function rank({ level, kind, reach = usualReach[kind] }: ReachingRisk): number {
  const distance = level === 'high' ? reaches.indexOf(reach) : reaches.length;
  return distance * riskKinds.length + riskKinds.indexOf(kind);
}
