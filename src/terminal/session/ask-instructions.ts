import type { InstructionRules, ReadInstructions } from '../../agent/instructions/read-instructions.js';
import { counted } from '../../platform/text/counted.js';
import type { Choice } from '../contract.js';

/** A file of the project with instructions for the model. */
export interface ShownInstructions {
  path: string;
  /** Relative to the project. */
  shown: string;
}

export interface InstructionQuestions {
  choose(facts: {
    title: string;
    text: string;
    items: readonly Choice[];
    focus: number;
    cancel: string;
  }): Promise<string | undefined>;
  /** Shows a text that may be longer than the screen. Resolves once it is closed. */
  show(title: string, lines: readonly string[]): Promise<void>;
}

/**
 * Asks whether to follow the instruction files of a folder, with all that they import. They can be read first.
 * `afterNo`: the user has just refused to trust the folder, so the question says why there is another one.
 */
export async function askAboutInstructions(
  files: readonly ShownInstructions[],
  rules: InstructionRules,
  questions: InstructionQuestions,
  { afterNo = false }: { afterNo?: boolean } = {},
): Promise<boolean> {
  const { InstructionReader } = await import('../../agent/instructions/read-instructions.js');
  const sources = files.map(({ path, shown }) => ({ path, shown, source: 'project' as const }));
  const read = await new InstructionReader().read(sources, rules);
  const imported = read.texts.filter(({ importedBy }) => importedBy !== undefined);
  const them = files.length + imported.length === 1 ? 'it' : 'them';
  const yes = { value: 'yes', key: 'y', label: `Yes, follow ${them}`, description: 'asked once for this folder' };
  const look = { value: 'show', key: 's', label: `Show ${them} first` };
  const no = { value: 'no', key: 'n', label: 'Not now', description: `the model gets ${them} as notes` };
  const cancel = 'continue without';
  const title = afterNo ? 'Follow only the instructions of this folder?' : 'Follow the instructions of this folder?';
  const more = imported.length === 0 ? '' : `, with ${namesOf(imported)}`;
  const text = afterNo
    ? `Nothing that needs trust is switched on. The folder also has instructions for the model, which run nothing by themselves and can be followed without trust: ${namesOf(files)}${more}`
    : `It has instructions for the model: ${namesOf(files)}${more}`;
  // Nothing of the folder is followed by Enter alone.
  let answer = await questions.choose({ title, text, items: [yes, look, no], focus: 2, cancel });
  while (answer === 'show') {
    await questions.show(`Instructions: ${counted(read.texts.length, 'file')}`, linesOf(read));
    answer = await questions.choose({
      title,
      text,
      items: [yes, { ...look, label: `Show ${them} again` }, no],
      focus: 2,
      cancel,
    });
  }
  return answer === 'yes';
}

export const namesOf = (files: readonly ShownInstructions[]): string => files.map(({ shown }) => shown).join(', ');

const linesOf = ({ texts, problems }: ReadInstructions): string[] => [
  ...texts.flatMap(({ shown, importedBy, text }) => [
    `${shown}${importedBy === undefined ? '' : ` (imported by ${importedBy})`}:`,
    ...text.split('\n').map((line) => `  ${line}`),
    '',
  ]),
  ...problems,
];
