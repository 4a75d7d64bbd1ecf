// A call in the history of a conversation, in a form that every provider accepts.

const MAX_NAME_CHARS = 64; // the shortest limit among the providers

/**
 * A tool name that every provider accepts in a conversation's history. Models call tools that were never offered, and a
 * provider that refuses such a name would refuse every later request too.
 */
export function wireName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_NAME_CHARS) || '_';
}

/** Servers accept only objects, and a malformed call must not make every later request fail. */
export function objectInput(input: unknown): unknown {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input;
  return input === undefined ? {} : { INVALID_JSON: input };
}

/**
 * What Google documents for calls that another vendor's model made: Gemini 3 refuses a request in which the first call
 * of a message has no signature, and skips the check for this one.
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export const FOREIGN_SIGNATURE = 'skip_thought_signature_validator';
