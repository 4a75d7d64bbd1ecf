// Finds the calls of a recorded session that another policy would have decided differently. Runs nothing.
import { checkAudit, readAudit } from '../../agent/observe/read-audit.js';
import type { RecordedCall, RecordedSession } from '../../agent/replay/replay-calls.js';
import type { SessionFolder } from '../../agent/store/session-folder.js';
import { createExplainer } from '../../compose/explain-call.js';
import type { Behavior } from '../../contract/permission.js';

export interface PolicyDifference {
  call: string;
  tool: string;
  input: unknown;
  /** `audit`: the recorded decision; `settings`: the decision of the current settings, if no log has it. */
  before: { decision: Behavior; reason: string; from: 'audit' | 'settings'; allowedByPerson?: boolean };
  after: { decision: Behavior; reason: string };
}

export interface PolicyReport {
  calls: number;
  different: readonly PolicyDifference[];
  /** How many of the earlier decisions were found in the audit log. */
  fromAudit: number;
  notes: readonly string[];
}

export async function comparePolicy(
  session: RecordedSession,
  { folder, root, policy }: { folder: SessionFolder; root: string; policy: unknown },
): Promise<PolicyReport> {
  const { decisions, notes } = auditedDecisions(folder);
  const explain = createExplainer();
  const different: PolicyDifference[] = [];
  let [calls, fromAudit] = [0, 0];
  for (const turn of session.turns) {
    for (const call of turn.calls) {
      if (isUnjudged(call)) continue;
      calls += 1;
      const place = { tool: call.tool, input: call.input, cwd: root };
      const known = decisions.get(call.id);
      if (known) fromAudit += 1;
      const present = known ? undefined : await explain({ ...place, mode: turn.mode });
      const before = known ?? {
        decision: present?.decision ?? 'ask',
        reason: present?.reason ?? '',
        from: 'settings' as const,
      };
      const judged = await explain({
        ...place,
        settings: policy,
        ...(setsMode(policy) ? {} : { mode: turn.mode }),
      });
      if (judged.decision === before.decision) continue;
      const after = { decision: judged.decision, reason: judged.reason };
      different.push({ call: call.id, tool: call.tool, input: call.input, before, after });
    }
  }
  return { calls, different, fromAudit, notes: [...session.notes, ...notes] };
}

/** There was nothing to judge: the tool is unknown, or the input invalid. */
const isUnjudged = ({ failure }: RecordedCall): boolean => failure === 'unknown_tool' || failure === 'invalid_input';

const setsMode = (policy: unknown): boolean => {
  if (typeof policy !== 'object' || policy === null || !('permissions' in policy)) return false;
  return typeof policy.permissions === 'object' && policy.permissions !== null && 'defaultMode' in policy.permissions;
};

function auditedDecisions({ path }: SessionFolder): {
  decisions: Map<string, PolicyDifference['before']>;
  notes: string[];
} {
  const decisions = new Map<string, PolicyDifference['before']>();
  const text = readAudit(path);
  if (!text)
    return {
      decisions,
      notes: ['There is no audit log, so the current settings are used instead of the earlier ones.'],
    };
  const { entries, problems } = checkAudit(text);
  for (const { type, call, behavior, reason } of entries) {
    if (typeof call !== 'string') continue;
    if (type === 'decision' && isBehavior(behavior)) {
      const words = typeof reason === 'string' ? reason : '(its reason was too long for the log)';
      decisions.set(call, { decision: behavior, reason: words, from: 'audit' });
    }
    const known = decisions.get(call);
    if (type === 'start' && known?.decision === 'ask') decisions.set(call, { ...known, allowedByPerson: true });
  }
  return {
    decisions,
    notes: problems.length === 0 ? [] : ['The audit log is not intact: helve audit verify says what is wrong with it.'],
  };
}

const isBehavior = (value: unknown): value is Behavior => value === 'allow' || value === 'ask' || value === 'deny';
