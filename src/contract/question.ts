/** A question for the person, with choices; whoever answers may also say something else in their own words. */
export interface Question {
  question: string;
  /** A word or two that a narrow screen can show. */
  header: string;
  options: ReadonlyArray<{ label: string; description: string }>;
  multiSelect?: boolean;
}

/** What was answered to one question. */
export interface Answer {
  /** The labels of the options chosen. */
  chosen: readonly string[];
  /** What the person wrote instead, or beside them. */
  text?: string;
}

/**
 * Puts questions to whoever can answer; one answer each, in order. Rejects when the signal aborts. `callId` is the call
 * whose own questions they are, where the model asked them.
 */
export type AskUser = (
  questions: readonly Question[],
  signal: AbortSignal,
  about?: { callId: string },
) => Promise<Answer[]>;

/** What was said in answer to a question, as programs send it: a label, words, or several of them. */
export function answerFrom({ options, multiSelect }: Question, given: unknown): Answer {
  const words = (Array.isArray(given) ? given : [given]).filter((word) => typeof word === 'string');
  const labels = options.map(({ label }) => label);
  const parts = words.flatMap((word) => (multiSelect && !labels.includes(word) ? word.split(/,\s*/) : [word]));
  const chosen = parts.filter((part) => labels.includes(part));
  const text = parts.filter((part) => !labels.includes(part) && part !== '').join(', ');
  return { chosen, ...(text !== '' && { text }) };
}
