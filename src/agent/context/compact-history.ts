// The history after a compaction: one message with the summary, the todo list, the plan and the last prompt, then the
// latest messages unchanged.
import type { Message, TextBlock, UserBlock } from '../../contract/message.js';
import type { ContextSize } from './context-size.js';
import type { ForgottenFile } from './shown-files.js';

const MAX_FILES = 5;

/** The index of the first message that is kept, within this many tokens: always an answer, so that calls keep their results. */
export function latestFrom(
  messages: readonly Message[],
  { size, budget }: { size: ContextSize; budget: number },
): number {
  const firstAnswer = messages.findIndex(({ role }) => role === 'assistant');
  let from = messages.length;
  let tokens = 0;
  // Summarising only a prompt would gain nothing.
  for (let index = messages.length - 1; index > firstAnswer; index -= 1) {
    const message = messages[index];
    if (!message) break;
    tokens += size.ofMessage(message);
    if (tokens > budget) break;
    if (message.role === 'assistant') from = index;
  }
  return from;
}

export const hasAnswer = (messages: readonly Message[]): boolean => messages.some(({ role }) => role === 'assistant');

export interface SummaryParts {
  summary: string;
  /** The files that were shown in the summarised messages. */
  files: readonly ForgottenFile[];
  todos: unknown;
  plan: unknown;
  /** The last prompt, if it is not among the kept messages. */
  prompt: readonly UserBlock[] | undefined;
  /** Whether the model was working, and has only this message to continue from. */
  isUnderWay: boolean;
}

/** The message that replaces everything before. */
export function summaryContent({ summary, files, todos, plan, prompt, isUnderWay }: SummaryParts): UserBlock[] {
  const parts = [`${SUMMARY_BEGINNING}\n\n<summary>\n${summary}\n</summary>`];
  if (todos !== undefined) parts.push(`The todo list as it stands:\n${listed(todos)}`);
  if (plan !== undefined) parts.push(`The plan:\n${listed(plan)}`);
  if (files.length > 0) {
    const names = files.slice(0, MAX_FILES).map(({ real, seen }) => `- ${real} (${linesOf(seen.lines)})`);
    parts.push(
      `Files that were shown before, the latest first. Their text is gone from here: read what you need again before you change it.\n${names.join('\n')}`,
    );
  }
  if (isUnderWay) parts.push('Go on from there; do not ask whether to.');
  const said: TextBlock = { type: 'text', text: parts.join('\n\n') };
  return prompt ? [said, { type: 'text', text: PROMPT_BEGINNING }, ...prompt] : [said];
}

const SUMMARY_BEGINNING =
  '[The conversation so far did not fit the context window any more. This summary stands for what came before.]';

const PROMPT_BEGINNING = '[What the user said last, word for word:]';

const linesOf = (lines: ForgottenFile['seen']['lines']): string =>
  lines === 'all' ? 'all of it' : `lines ${lines.map(([first, last]) => `${first}–${last}`).join(', ') || 'none'}`;

function listed(state: unknown): string {
  if (typeof state === 'string') return state;
  if (!Array.isArray(state)) return JSON.stringify(state) ?? '';
  return state.map((item: unknown) => `- ${typeof item === 'string' ? item : JSON.stringify(item)}`).join('\n');
}

/** The last prompt according to the messages, for a resumed session, which has no other record of it. */
export function latestPrompt(messages: readonly Message[]): readonly UserBlock[] | undefined {
  for (const { role, content } of messages.toReversed()) {
    if (role !== 'user' || content.some((block) => block.type === 'tool_result')) continue;
    const at = content.findIndex((block) => block.type === 'text' && block.text === PROMPT_BEGINNING);
    const said = content.slice(at + 1);
    const [first] = said;
    const isOurs = first?.type === 'text' && first.text.startsWith('['); // a note of the engine, or a summary
    if (said.length > 0 && !isOurs) return said;
  }
  return undefined;
}
