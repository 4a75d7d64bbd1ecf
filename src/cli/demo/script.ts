import type { AssistantBlock, Message, ToolResultBlock, UserBlock } from '../../contract/message.js';
import type { ScriptedCall, ScriptedTurn } from '../../models/scripted.js';

export const demoPrompt = 'Give 10 % off for ten or more of an item, as the tests ask.';

/** The steps of the story, in order. */
const stepNames = ['look', 'discount', 'test', 'fix', 'retest', 'clean'] as const;
type StepName = (typeof stepNames)[number];

/** `refused`: it was not carried out, whether a person, a rule or the mode said no. */
type Outcome = 'done' | 'failed' | 'refused';
type Outcomes = Partial<Record<StepName, Outcome>>;

/** The texts that depend on where the demo runs. */
export interface DemoWords {
  /** Added to the last answer of the story. */
  ending: string;
  /** The answer to every prompt after the story. */
  afterwards: string;
}

/**
 * The scripted model's next answer. It depends on the conversation alone, so that the story goes on after a refused
 * call, an interrupt or a rewind. The calls are real: their results come from the tools.
 */
export function nextTurn(messages: readonly Message[], words: DemoWords): ScriptedTurn {
  const outcomes = outcomesOf(messages);
  const step = nextStep(outcomes);
  const prompt = promptIn(messages.at(-1));
  if (step === undefined)
    return { text: prompt === undefined ? `${summary(outcomes)}\n\n${words.ending}` : words.afterwards };
  const isStart = step === 'look';
  const isOther = isStart && prompt !== undefined && !prompt.includes(demoPrompt);
  const before = isOther ? `${OTHER_PROMPT} ` : !isStart && prompt !== undefined ? 'I continue where we stopped. ' : '';
  const attempt = 1 + messages.filter((message) => callsIn(message).some((id) => id.startsWith(idOf(step)))).length;
  const calls = demoCalls[step].map((call, index) => ({ ...call, id: `${idOf(step)}${attempt}-${index + 1}` }));
  return { text: `${before}${introduction(step, outcomes)}`, calls };
}

const OTHER_PROMPT = `I am a script, so I can't do that. I can do this instead: ${demoPrompt}`;

/** Undefined at the end of the story. */
function nextStep({ look, discount, test, fix, retest, clean }: Outcomes): StepName | undefined {
  if (look === undefined) return 'look';
  if (discount === undefined) return 'discount';
  if (clean !== undefined || retest === 'failed') return undefined;
  if (discount !== 'done' || test === 'done') return 'clean';
  if (test === undefined) return 'test';
  if (fix === undefined) return 'fix';
  return fix === 'done' && retest === undefined && test !== 'refused' ? 'retest' : 'clean';
}

function introduction(step: StepName, { discount, test, fix, retest }: Outcomes): string {
  switch (step) {
    case 'look':
      return "I'll look at the project first.";
    case 'discount':
      return '`lineTotal` computes every price, so the discount goes there.';
    case 'test':
      return "Now I'll run the tests.";
    case 'fix':
      return test === 'failed'
        ? 'One test fails: exactly ten still cost the full price. The comparison must be `>=`, not `>`.'
        : "I can't run the tests, so I read my change again: exactly ten still cost the full price. The comparison must be `>=`.";
    case 'retest':
      return "Fixed. I'll run the tests again.";
    case 'clean': {
      const why = 'The folder `dist` holds a build of the old code. I would like to delete it.';
      if (discount !== 'done') return `Then \`src/price.js\` stays as it is. One more thing: ${lowerFirst(why)}`;
      if (fix !== undefined && fix !== 'done')
        return `Then the discount starts at eleven. One more thing: ${lowerFirst(why)}`;
      return retest === 'done' || test === 'done' ? `All tests pass. ${why}` : why;
    }
  }
}

function summary({ discount, test, fix, retest, clean }: Outcomes): string {
  if (retest === 'failed')
    return 'The tests still fail, which should not happen in this demo. `helve doctor` shows what may be missing.';
  const tested = retest === 'done' || test === 'done' ? 'all tests pass' : 'the tests have not run on it';
  const change =
    discount !== 'done'
      ? 'the prices are unchanged, because the edit was refused'
      : fix === 'done' || test === 'done'
        ? `ten or more of an item are 10 % cheaper, and ${tested}`
        : 'more than ten of an item are 10 % cheaper, but exactly ten are not: that edit was refused';
  const build = clean === 'done' ? 'The old build is deleted.' : 'The old build is still there.';
  return `Done: ${change}. ${build}`;
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const testCall: ScriptedCall = {
  name: 'Bash',
  input: { command: 'node --test --test-reporter=spec', description: 'Run the tests' },
};

/** The calls of each step. */
export const demoCalls: Readonly<Record<StepName, readonly ScriptedCall[]>> = {
  look: [
    { name: 'LS', input: { path: '.' } },
    { name: 'Grep', input: { pattern: 'lineTotal', output_mode: 'content' } },
    { name: 'Read', input: { file_path: 'src/price.js' } },
    { name: 'Read', input: { file_path: 'src/basket.js' } },
    { name: 'Read', input: { file_path: 'test/price.test.js' } },
  ],
  discount: [
    {
      name: 'Edit',
      input: {
        file_path: 'src/price.js',
        old_string: '  return price * quantity;',
        new_string: '  const total = price * quantity;\n  return quantity > 10 ? Math.round(total * 0.9) : total;',
      },
    },
  ],
  test: [testCall],
  fix: [
    {
      name: 'Edit',
      input: { file_path: 'src/price.js', old_string: 'quantity > 10', new_string: 'quantity >= 10' },
    },
  ],
  retest: [testCall],
  clean: [{ name: 'Bash', input: { command: 'rm -rf dist', description: 'Delete the outdated build' } }],
};

const idOf = (step: StepName): string => `demo-${step}-`;

function outcomesOf(messages: readonly Message[]): Outcomes {
  const outcomes: Outcomes = {};
  for (const block of messages.flatMap(blocksOf)) {
    if (block.type !== 'tool_result') continue;
    const step = stepNames.find((name) => block.tool_use_id.startsWith(idOf(name)));
    if (step !== undefined) outcomes[step] = outcomeOf(step, block);
  }
  return outcomes;
}

function outcomeOf(step: StepName, { is_error, content }: ToolResultBlock): Outcome {
  if (is_error !== true) return 'done';
  const hasRun = (step === 'test' || step === 'retest') && JSON.stringify(content).includes('ℹ fail');
  return hasRun ? 'failed' : 'refused';
}

/** The text of a prompt; undefined for a message with results of calls. */
function promptIn(message: Message | undefined): string | undefined {
  if (message === undefined || message.role !== 'user') return undefined;
  const blocks = blocksOf(message);
  if (blocks.some(({ type }) => type === 'tool_result')) return undefined;
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

const callsIn = (message: Message): string[] =>
  blocksOf(message).flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));

const blocksOf = ({ content }: Message): ReadonlyArray<AssistantBlock | UserBlock> => content;
