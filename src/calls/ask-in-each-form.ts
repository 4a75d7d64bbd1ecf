// Step 8 of the path, where a program answers in place of a person: asks about a patch that was typed into a shell.
import type { AskPermission, PermissionAnswer } from '../contract/permission.js';
import { meantCall, typedInput } from '../tools/aliases.js';
import { isSameInput } from './ask-person.js';

/**
 * For programs that decide by the name of the tool: asks about a patch that was typed into a shell first as a call of the
 * shell, then as a patch. Both must be allowed.
 */
export const askInEachForm =
  (ask: AskPermission): AskPermission =>
  async (question, signal) => {
    const { sentAs, ...meant } = question;
    const first = sentAs ? { ...meant, ...sentAs, suggestions: [] } : question;
    const answer = await ask(first, signal);
    if (answer?.behavior !== 'allow') return answer;
    const changed = changedInput(answer, first.input);
    const patch = changed ? meantCall(first.tool, (sentAs && typedInput(changed)) ?? changed) : sentAs && meant;
    if (!patch) return answer;
    const asked = 'name' in patch ? { ...meant, tool: patch.name, input: patch.input } : patch;
    const second = await ask(asked, signal);
    if (second?.behavior !== 'allow') return second;
    const command = changedInput(second, asked.input);
    if (command && !meantCall(first.tool, typedInput(command) ?? command)) {
      // The program turned the patch into a command, and was not asked about that command yet.
      const third = await ask({ ...first, input: command, suggestions: [] }, signal);
      if (third?.behavior !== 'allow') return third;
      if (changedInput(third, command)) throw new Error('the command that was made of a patch was changed again');
    }
    return { ...answer, ...second };
  };

const changedInput = (
  { updatedInput }: Extract<PermissionAnswer, { behavior: 'allow' }>,
  input: unknown,
): Readonly<Record<string, unknown>> | undefined =>
  updatedInput === undefined || isSameInput(updatedInput, input) ? undefined : updatedInput;
