import { messageOf } from '../message-of.js';

/** A text as part of a longer sentence: without its full stop, so that only the sentence around it has one. */
export const clause = (text: string): string => text.trimEnd().replace(/(?<!\.)\.$/, '');

/** The first sentence of a text. */
export const firstSentence = (text: string): string => /^[\s\S]*?[.?!](?=\s|$)/.exec(text)?.[0] ?? text;

/** What a list for people says of a tool or an agent type: its own sentence, else the first one of its description. */
export function summaryOf({ about, description }: { about?: string | undefined; description: string }): string {
  const [line = ''] = (about ?? description).trim().split('\n', 1);
  return about === undefined ? firstSentence(line) : line;
}

/** An error's message as part of a sentence. */
export const errorClause = (error: unknown): string => clause(messageOf(error));
