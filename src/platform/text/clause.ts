/** A text as a part of a longer sentence: without its full stop, so that the sentence around it has the only one. */
export const clause = (text: string): string => text.trimEnd().replace(/(?<!\.)\.$/, '');

/** What an error says, as a part of a sentence. */
export const errorClause = (error: unknown): string => clause(error instanceof Error ? error.message : String(error));
