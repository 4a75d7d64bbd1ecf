import type { AgentHappening } from '../../contract/event.js';
import type { Session } from '../session.js';
import type { SessionComponent } from '../session-component.js';
import type { StructuredOutput } from '../structured-output.js';

/** For one run: adds the tool that takes the answer, and ends the run once there is an answer. */
export function structuredOutput(answer: StructuredOutput, session: Session): SessionComponent {
  let takeBack = (): void => {};
  let emit = (_happening: AgentHappening): void => {};
  return {
    name: 'structured output',
    async prepare(_prompt, run) {
      emit = run.emit;
      takeBack = session.tools.lend(answer.tool);
    },
    onEvent(event) {
      const reason = answer.endsWith(event);
      if (reason !== undefined) emit({ type: 'stop_request', reason });
    },
    beforeEnd: async () => answer.atEnd(),
    afterRun: () => takeBack(),
  };
}
