// What a conversation becomes when it is compacted: one message with the summary and what must not be lost, then the
// latest messages as they were.
import type { Message, TextBlock, UserBlock } from '../../contract/message.js';
import type { ContextSize } from './context-size.js';
import type { ForgottenFile } from './shown-files.js';

const MAX_FILES = 5;

/** Where the latest messages begin that stay, within so many tokens: always with an answer, so that calls keep their results. */
export function latestFrom(
  messages: readonly Message[],
  { size, budget }: { size: ContextSize; budget: number },
): number {
  const firstAnswer = messages.findIndex(({ role }) => role === 'assistant');
  let from = messages.length;
  let tokens = 0;
  // Where nothing but a prompt would be summarised, nothing would be gained.
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
  /** Those that were shown in what is summarised. */
  files: readonly ForgottenFile[];
  todos: unknown;
  plan: unknown;
  /** What the person said last, where it is not among the messages that stay. */
  prompt: readonly UserBlock[] | undefined;
  /** Whether the model was at work, and nothing but this tells it on what. */
  isUnderWay: boolean;
}

/** The message that stands for everything before. */
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

/** The last prompt, as far as the messages show: for a session that was resumed there is no other record. */
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
