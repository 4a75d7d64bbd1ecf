// Step 8 of the path: what a call would touch, against the mode and the project's folders, gives the answer. Pure.
import type { Effect, FileEffect } from '../contract/effect.js';
import type { Decide, Decision, PermissionMode } from '../contract/permission.js';
import { isInside } from '../platform/files/paths.js';

export interface Policy {
  mode: PermissionMode;
  /** The project and the folders added to it, each by its written and its real name. */
  workspace: readonly string[];
  /** Where this session saves long results: free to read. */
  resultsFolder: string;
  /** Helve's own data, by both its names: apart from those results, no tool may touch it. */
  dataFolders: readonly string[];
}

/** The strictest answer over all effects; the order of effects has no meaning. */
export function decideBy(policy: () => Policy): Decide {
  return ({ effects, checkAsks }) => {
    const current = policy();
    const answers = effects.map((effect) => judge(effect, current));
    const denied = answers.find(({ behavior }) => behavior === 'deny');
    if (denied) return denied;
    // A tool's own question is put in every mode: the tool saw something that nobody agreed to.
    if (checkAsks !== undefined) return withoutAsking(current, { behavior: 'ask', reason: checkAsks });
    const asks = answers.find(({ behavior }) => behavior === 'ask');
    if (!asks) return answers[0] ?? { behavior: 'allow', reason: 'it touches nothing' };
    if (current.mode === 'bypassPermissions') {
      return { behavior: 'allow', reason: `${asks.reason}, but the mode bypassPermissions allows it` };
    }
    return withoutAsking(current, asks);
  };
}

function withoutAsking({ mode }: Policy, asks: Decision): Decision {
  if (mode !== 'dontAsk') return asks;
  return { behavior: 'deny', reason: `${asks.reason}, and the mode dontAsk refuses whatever would be asked` };
}

function judge(effect: Effect, policy: Policy): Decision {
  const answer = judgeAlone(effect, policy);
  if (policy.mode !== 'plan' || answer.behavior !== 'ask' || isRead(effect)) return answer;
  return { behavior: 'deny', reason: `${answer.reason}, and plan mode only reads` };
}

const isRead = (effect: Effect): boolean => effect.kind === 'file' && effect.access === 'read';

function judgeAlone(effect: Effect, policy: Policy): Decision {
  switch (effect.kind) {
    case 'file':
      return judgeFile(effect, policy);
    case 'command':
      if (effect.harmless) return { behavior: 'allow', reason: 'the command is harmless' };
      return { behavior: 'ask', reason: `it runs the command "${effect.text}"` };
    case 'network':
      return { behavior: 'ask', reason: `it reaches ${effect.url} over the network` };
    case 'session':
      return { behavior: 'allow', reason: 'it concerns this session alone' };
    case 'unknown':
      return { behavior: 'ask', reason: effect.why };
  }
}

function judgeFile({ access, path, real }: FileEffect, policy: Policy): Decision {
  const names = [path, real];
  const isResult = names.every((name) => isInside(policy.resultsFolder, name));
  if (isResult && access === 'read') return { behavior: 'allow', reason: 'it reads a saved result of this session' };
  if (names.some((name) => policy.dataFolders.some((folder) => isInside(folder, name)))) {
    return { behavior: 'deny', reason: `${path} belongs to Helve's own data, which no tool may touch` };
  }
  const where = real === path ? path : `${path} (really ${real})`;
  if (access === 'write') return { behavior: 'ask', reason: `it writes ${where}` };
  const inside = names.every((name) => policy.workspace.some((folder) => isInside(folder, name)));
  if (inside) return { behavior: 'allow', reason: 'it reads inside the project' };
  return { behavior: 'ask', reason: `it reads ${where}, which is outside the project` };
}
