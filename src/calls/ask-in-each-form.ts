import type { AskPermission, PermissionAnswer } from '../contract/permission.js';
import { meantCall, typedInput } from '../tools/aliases.js';
import { isSameInput } from './authorize.js';

/**
 * For programs that answer by the name of the tool: a patch that was typed into a shell is put to them as the call of the
 * shell first, and then as the patch. Both must be allowed.
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
    const second = await ask('name' in patch ? { ...meant, tool: patch.name, input: patch.input } : patch, signal);
    return second?.behavior === 'allow' ? { ...answer, ...second } : second;
  };

const changedInput = (
  { updatedInput }: Extract<PermissionAnswer, { behavior: 'allow' }>,
  input: unknown,
): Readonly<Record<string, unknown>> | undefined =>
  updatedInput === undefined || isSameInput(updatedInput, input) ? undefined : updatedInput;
