import type { AskPermission } from '../../contract/permission.js';
import type { AskUser } from '../../contract/question.js';
import type { AuditLog } from '../observe/audit-log.js';
import type { ChildOrigin, SessionComponent } from '../session-component.js';

/** Records calls, decisions and the answers to questions in the audit log. */
export interface AuditComponent extends SessionComponent {
  /** Wraps the question, so that its answer is recorded. */
  permission(ask: AskPermission): AskPermission;
  questions(ask: AskUser): AskUser;
}

export function auditComponent(log: AuditLog): AuditComponent {
  const component = (agent?: ChildOrigin): SessionComponent => ({
    name: 'audit log',
    isEssential: true,
    onEvent: (event) => log.take(event, agent),
    ofChild: component,
  });
  return {
    ...component(),
    permission: (ask) => async (question, signal) => {
      const answer = await ask(question, signal);
      log.answered(question, answer);
      return answer;
    },
    questions: (ask) => async (questions, signal, about) => {
      const answers = await ask(questions, signal, about);
      log.replied(about?.callId, answers);
      return answers;
    },
    async end() {
      log.close();
    },
  };
}
