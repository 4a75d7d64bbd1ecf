// Parts of a restored conversation, in the form that providers accept.
import type { AssistantBlock, Message, ToolResultBlock, UserBlock } from '../../contract/message.js';
import { Transcript } from '../transcript.js';
import type { SessionRecord } from './session-record.js';

type RecordOf<Type extends SessionRecord['type']> = Extract<SessionRecord, { type: Type }>;

export type KnownResult = Omit<RecordOf<'result'>, 'at'>;

/** The messages as they were sent to the model, and counted by compactions. */
export function repaired(messages: readonly Message[]): readonly Message[] {
  const transcript = new Transcript();
  // A conversation begins with a user message, so without this the answer to a lost prompt would be lost as well.
  if (messages[0]?.role === 'assistant') transcript.append(lostBeginning);
  for (const message of messages) transcript.append(message);
  return transcript.forRequest();
}

/** Providers accept only objects as inputs. */
export function withObjectInput(block: AssistantBlock): AssistantBlock {
  if (block.type !== 'tool_use') return block;
  const { input } = block;
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? block : { ...block, input: {} };
}

const lostBeginning: Message = {
  role: 'user',
  content: [{ type: 'text', text: '[What was said here is lost, because the file of this session is damaged.]' }],
};

export const wordsOf = (content: RecordOf<'user'>['content']): UserBlock[] =>
  content.filter((block) => block.type !== 'tool_result');

export function resultBlock({ id, content, is_error }: KnownResult): ToolResultBlock {
  const whole = typeof content === 'string' ? content : [...content];
  return { type: 'tool_result', tool_use_id: id, content: whole, ...(is_error && { is_error }) };
}

/** As text, since providers reject calls without the preceding thinking, which is incomplete. */
export function report(
  calls: ReadonlyArray<{ name: string; input: unknown }>,
  answers: readonly ToolResultBlock[],
): Message {
  const parts = calls.map(({ name, input }, index) => {
    const { content = '' } = answers[index] ?? {};
    const texts = typeof content === 'string' ? [content] : content.map((block) => ('text' in block ? block.text : ''));
    return `${name} ${JSON.stringify(input)}\n${texts.join('\n')}`;
  });
  const text = `[The program ended in the middle of your last answer. These calls were part of it:\n\n${parts.join('\n\n')}]`;
  return { role: 'user', content: [{ type: 'text', text }] };
}
