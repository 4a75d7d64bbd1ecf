import type { Message, UserBlock } from '../../contract/message.js';
import { safeCut } from '../../platform/text/truncate.js';
import { inputLine } from '../store/conversation-view.js';

const MAX_PROMPTS = 10;
const MAX_CALLS = 20;
const MAX_WORDS = 5;
const MAX_CHARS = 500; // of each

/** A summary without a model: the prompts, the calls and the last answers. */
export function listHistory(messages: readonly Message[], why: string): string {
  const prompts = messages.flatMap(({ role, content }) => (role === 'user' ? said(content) : []));
  const calls = messages.flatMap(({ content }) => content.filter((block) => block.type === 'tool_use'));
  const words = messages.flatMap(({ role, content }) => (role === 'assistant' ? said(content) : []));
  return [
    `The model could not summarise the conversation (${why}), so this is a list that the program made.`,
    ...section('What the user and the program said, from the oldest to the latest', prompts.slice(-MAX_PROMPTS)),
    ...section(
      'The latest calls',
      calls.slice(-MAX_CALLS).map(({ name, input }) => `${name} ${inputLine(input, (text) => text)}`.trimEnd()),
    ),
    ...section('What you said last', words.slice(-MAX_WORDS)),
  ].join('\n\n');
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${title}:\n${lines.map((line) => `- ${line}`).join('\n')}`];

const said = (content: Message['content']): string[] =>
  content.flatMap((block: Message['content'][number] | UserBlock) => {
    const text = block.type === 'text' ? block.text.trim() : '';
    if (text === '' || text.startsWith('<system-reminder>')) return [];
    return [text.length <= MAX_CHARS ? text : `${text.slice(0, safeCut(text, MAX_CHARS))}…`];
  });
