// Settings that are judged by, and not started with, are checked as at a real start: a slip in a policy must not look
// like a policy that allows.
import { knownNames } from '../../agent/known-names.js';
import type { JsonNode } from '../../settings/document.js';
import { readNode } from '../../settings/read-files.js';
import { isFatal } from '../../settings/report.js';
import { UsageProblem } from '../usage-problem.js';

/** What a start with these settings would refuse is wrong usage, in the same words. Returns what it would only tell. */
export function checkPolicy(node: JsonNode, { file, root }: { file: string; root: string }): string[] {
  const { problems } = readNode(node, { kind: 'project', file, anchor: root }, { root, ...knownNames({ root }) });
  const fatal = problems.filter(isFatal);
  if (fatal.length > 0) throw new UsageProblem(fatal.map(({ message }) => message).join('\n'));
  return problems.map(({ message }) => message);
}
