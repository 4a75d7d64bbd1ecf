import * as z from 'zod';
import type { Answer, Question } from '../contract/question.js';
import { defineTool } from '../contract/tool.js';
import type { ToolContext } from '../contract/tool-context.js';
import { refusal } from './refusal.js';

const MAX_HEADER_CHARS = 12; // shown as a label on a narrow screen

const description = `Ask the user what only they can decide, with choices. They can also answer in their own words, so offer no "Other".
Use it where a wrong guess would cost work, not for what you can find out. For approval of a plan use ExitPlanMode.`;

const option = z.object({
  label: z.string().trim().min(1).describe('1 to 5 words'),
  description: z.string(),
});

const question = z.object({
  question: z.string().trim().min(1),
  header: z.string().trim().min(1).max(MAX_HEADER_CHARS),
  options: z.array(option).min(2).max(4),
  multiSelect: z.boolean().optional(),
});

type AskedQuestion = z.output<typeof question>;

/** What the model sees. A host that answers in the user's place sends the same with `answers`. */
const asked = z.strictObject({ questions: z.array(question).min(1).max(4) });

const answered = asked.extend({
  answers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
  annotations: z.unknown().optional(),
  metadata: z.unknown().optional(),
});

// Validates one schema and shows another: hosts may send more fields than models are offered.
const input: z.ZodType<z.output<typeof answered>> = Object.assign(answered.clone(), {
  toJSONSchema: (options?: Parameters<typeof asked.toJSONSchema>[0]) => asked.toJSONSchema(options),
});

interface Answered {
  question: string;
  answer: string;
}

export const askUserQuestionTool = defineTool({
  name: 'AskUserQuestion',
  title: 'Question',
  about: 'Asks you a question, with answers to choose from.',
  description,
  input,
  needsPerson: true,
  effects: () => [],

  async validate({ questions, answers }, context) {
    const texts = questions.map(({ question: text }) => text);
    const repeated = texts.find((text, index) => texts.indexOf(text) !== index);
    if (repeated !== undefined) throw refusal(`"${repeated}" is asked twice.`, { advice: 'Ask each question once.' });
    for (const { question: text, options } of questions) {
      const labels = options.map(({ label }) => label);
      const twin = labels.find((label, index) => labels.indexOf(label) !== index);
      if (twin !== undefined)
        throw refusal(`"${text}" has two options named "${twin}".`, { advice: 'Give each its own label.' });
    }
    if (answers !== undefined && (context.inputBy === undefined || holdsAnswers(context.sentInput))) {
      throw refusal('"answers" is for the user to fill in, not for the model.', {
        advice: 'Send the questions without it.',
      });
    }
    if (answers === undefined) userToAsk(context);
    return undefined;
  },

  async execute({ questions, answers }, context) {
    if (answers !== undefined) return { answers: fromAnswers(questions, answers) };
    const ask = userToAsk(context);
    const given = await ask(questions.map(asQuestion), context.signal, { callId: context.callId });
    return { answers: questions.map((one, index) => ({ question: one.question, answer: words(given[index]) })) };
  },

  toModel({ answers }) {
    const said = answers.filter(({ answer }) => answer !== '');
    if (said.length === 0) {
      return 'The user answered none of the questions. Go on with what you think best and say what you assumed, or ask them in plain words.';
    }
    const pairs = said.map(({ question: text, answer }) => `"${text}"="${answer}"`).join(', ');
    const rest = answers.length - said.length;
    const open = rest === 0 ? '' : ` ${rest === 1 ? 'One question was' : `${rest} questions were`} left open.`;
    return `The user has answered: ${pairs}.${open} Go on with these answers in mind.`;
  },

  displayCall: ({ questions = [] }) => ({ title: questions.map((one) => one?.question ?? '').join(' ') }),
  displayResult: ({ answers }, { questions }) => ({
    title: questions.map(({ question: text }) => text).join(' '),
    facts: [answeredFact(answers)],
    body: {
      type: 'list',
      items: answers.map(({ question: text, answer }, index) => {
        const header = questions[index]?.header ?? text; // the title has the questions
        return `${header}: ${answer || '(no answer)'}`;
      }),
    },
  }),
});

function answeredFact(answers: readonly Answered[]): string {
  const given = answers.filter(({ answer }) => answer !== '').length;
  if (given === 0) return 'not answered';
  return given === answers.length ? 'answered' : `${given} of ${answers.length} answered`;
}

/** A hook that changes an input usually copies it: answers that the model put there would count as the user's. */
const holdsAnswers = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && 'answers' in input && input.answers !== undefined;

/** Throws if no user can be asked, or if the user does not want to be asked. */
function userToAsk({ askUser, session }: ToolContext): NonNullable<ToolContext['askUser']> {
  const advice = 'Decide yourself what is most likely meant, say what you assumed, and go on.';
  if (session.planning.mode === 'dontAsk') throw refusal('The mode dontAsk permits no questions.', { advice });
  if (!askUser) throw refusal("It can't be answered: this run has no user and no program to ask.", { advice });
  return askUser;
}

const asQuestion = ({ question: text, header, options, multiSelect }: AskedQuestion): Question => ({
  question: text,
  header,
  options,
  multiSelect: multiSelect ?? false,
});

function words(answer: Answer | undefined): string {
  const { chosen = [], text = '' } = answer ?? {};
  return [...chosen, ...(text.trim() === '' ? [] : [text.trim()])].join(', ');
}

function fromAnswers(
  questions: readonly AskedQuestion[],
  answers: Readonly<Record<string, string | string[]>>,
): Answered[] {
  return questions.map(({ question: text }) => {
    const answer = Object.hasOwn(answers, text) ? answers[text] : undefined;
    return { question: text, answer: Array.isArray(answer) ? answer.join(', ') : (answer ?? '') };
  });
}
