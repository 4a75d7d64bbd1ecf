// Settings that are only evaluated are validated as at a real start: a typo in a policy must not look like a policy
// that allows.
import { knownNames } from '../../agent/known-names.js';
import type { JsonNode } from '../../settings/document.js';
import { readNode } from '../../settings/read-files.js';
import { isFatal } from '../../settings/settings-problem.js';
import { UsageProblem } from '../usage-problem.js';

/**
 * Throws a usage error for settings that a start would refuse, with the same message. Returns the warnings of a start.
 * warn about.
 */
export function checkPolicy(node: JsonNode, { file, root }: { file: string; root: string }): string[] {
  const { problems } = readNode(node, { kind: 'project', file, anchor: root }, { root, ...knownNames({ root }) });
  const fatal = problems.filter(isFatal);
  if (fatal.length > 0) throw new UsageProblem(fatal.map(({ message }) => message).join('\n'));
  return problems.map(({ message }) => message);
}
