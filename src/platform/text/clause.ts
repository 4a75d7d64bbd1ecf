import { messageOf } from '../message-of.js';

/** A text as part of a longer sentence: without its full stop, so that only the sentence around it has one. */
export const clause = (text: string): string => text.trimEnd().replace(/(?<!\.)\.$/, '');

/** The first sentence of a text. */
export const firstSentence = (text: string): string => /^[\s\S]*?[.?!](?=\s|$)/.exec(text)?.[0] ?? text;

/** An error's message as part of a sentence. */
export const errorClause = (error: unknown): string => clause(messageOf(error));
