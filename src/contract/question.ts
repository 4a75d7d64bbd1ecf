/** A question for the person, with choices; the person may also answer in their own words. */
export interface Question {
  question: string;
  /** A word or two that fit on a narrow screen. */
  header: string;
  options: ReadonlyArray<{ label: string; description: string }>;
  multiSelect?: boolean;
}

/** The answer to one question. */
export interface Answer {
  /** The labels of the options chosen. */
  chosen: readonly string[];
  /** The person's own text instead of, or beside, the options. */
  text?: string;
  /** Who has answered, if several could; for the audit log. */
  by?: string;
}

/**
 * Asks the person questions; one answer each, in order. Rejects when the signal aborts. `callId` is the call whose
 * own questions they are, if the model asked them.
 */
export type AskUser = (
  questions: readonly Question[],
  signal: AbortSignal,
  about?: { callId: string },
) => Promise<Answer[]>;

/** The answer to a question, as programs send it: a label, text, or several of them. */
export function answerFrom({ options, multiSelect }: Question, given: unknown): Answer {
  const words = (Array.isArray(given) ? given : [given]).filter((word) => typeof word === 'string');
  const labels = options.map(({ label }) => label);
  const parts = words.flatMap((word) => (multiSelect && !labels.includes(word) ? word.split(/,\s*/) : [word]));
  const chosen = parts.filter((part) => labels.includes(part));
  const text = parts.filter((part) => !labels.includes(part) && part !== '').join(', ');
  return { chosen, ...(text !== '' && { text }) };
}

/** The same, but an answer of another shape, as a program without types may give, throws an error that says so. */
export const checkedAskUser =
  (askUser: AskUser): AskUser =>
  async (questions, signal, about) => {
    const answers: unknown = await askUser(questions, signal, about);
    if (!Array.isArray(answers)) throw wrongAnswer(`but it gave ${shown(answers)}`);
    for (const [index, answer] of answers.entries()) {
      if (!isAnswer(answer)) throw wrongAnswer(`but answer ${index + 1} was ${shown(answer)}`);
    }
    return answers;
  };

const wrongAnswer = (what: string): TypeError =>
  new TypeError(`askUser must give a list with an answer { chosen: [labels], text? } for each question, ${what}.`);

function isAnswer(answer: unknown): answer is Answer {
  if (typeof answer !== 'object' || answer === null || !('chosen' in answer) || !Array.isArray(answer.chosen)) {
    return false;
  }
  const isTextFitting = !('text' in answer) || answer.text === undefined || typeof answer.text === 'string';
  return isTextFitting && answer.chosen.every((label) => typeof label === 'string');
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
