// Completes a typed call: the tool, its parameters, their values, paths.
import { visible } from '../../platform/text/visible.js';
import type { Choice, ConsoleTool } from '../contract.js';
import { completePath, type PathPlace } from '../input/complete-path.js';
import type { LineChoices } from '../input/completion.js';
import { rankNames } from '../input/rank-names.js';
import { fieldFor, fieldsOf, type InputField, isPath, optionOf, positionalsOf, takesRest } from './fields.js';
import { findTool } from './parse-call.js';
import { quoted, readWords, type Word } from './words.js';

/** Completes the line up to the cursor. */
export async function completeCall(
  line: string,
  tools: readonly ConsoleTool[],
  place: PathPlace,
): Promise<LineChoices> {
  const { words } = readWords(line);
  const isNewWord = words.length === 0 || /\s$/.test(line.slice(words.at(-1)?.end ?? 0));
  const last = isNewWord ? undefined : words.at(-1);
  const typed = last ? line.slice(last.start) : '';
  const before = words.slice(0, last ? -1 : undefined);
  const [name, ...others] = before;
  if (!name) {
    const found = rankNames(typed, tools, (tool) => tool.name);
    return {
      typed,
      choices: found.map((tool) => ({ value: tool.name, description: firstSentence(tool.about ?? tool.description) })),
    };
  }
  const tool = findTool(name.text, tools);
  if (!tool) return { typed, choices: [] };
  const fields = fieldsOf(tool);
  return { typed, choices: await choicesFor(typed, last, others, fields, place) };
}

async function choicesFor(
  typed: string,
  last: Word | undefined,
  before: readonly Word[],
  fields: readonly InputField[],
  place: PathPlace,
): Promise<readonly Choice[]> {
  const positionals = positionalsOf(fields);
  const isLine = takesRest(positionals[0]);
  const { used, filled, awaited } = readBefore(before, fields);
  if (awaited) return await valuesOf(awaited, last?.text ?? '', place);
  const [, option, start] = /^(--?[A-Za-z][\w-]*)=(.*)$/s.exec(typed) ?? [];
  const named = option === undefined ? undefined : fieldFor(option, fields);
  if (named) {
    const values = await valuesOf(named, start ?? '', place);
    return values.map((choice) => ({ ...choice, value: `${option}=${choice.value}` }));
  }
  if (typed.startsWith('-') && !(isLine && filled > 0)) return optionsFor(typed, fields, used, positionals);
  const field = positionals[filled];
  if (isLine) return typed === '' ? [] : await completePath(typed, place);
  if (field) return await valuesOf(field, last?.text ?? '', place);
  return typed === '' ? optionsFor('--', fields, used, positionals) : [];
}

function readBefore(before: readonly Word[], fields: readonly InputField[]) {
  const used = new Set<InputField>();
  let filled = 0;
  let awaited: InputField | undefined;
  for (const { text, isQuoted } of before) {
    if (awaited) {
      awaited = undefined;
      continue;
    }
    const isOption = !isQuoted && /^--?[A-Za-z]/.test(text);
    const field = isOption ? fieldFor(text.replace(/=.*$/s, ''), fields) : undefined;
    if (field) used.add(field);
    if (!isOption) filled += 1;
    else if (field && !text.includes('=') && !field.kinds.includes('boolean')) awaited = field;
  }
  return { used, filled, awaited };
}

function optionsFor(
  typed: string,
  fields: readonly InputField[],
  used: ReadonlySet<InputField>,
  positionals: readonly InputField[],
): Choice[] {
  return fields
    .filter((field) => !used.has(field) && (!positionals.includes(field) || !field.isRequired))
    .filter((field) => optionOf(field).startsWith(typed) || (typed === '--' && field.name.startsWith('-')))
    .map((field) => ({ value: optionOf(field), description: firstSentence(field.description) }));
}

async function valuesOf(field: InputField, typed: string, place: PathPlace): Promise<Choice[]> {
  if (field.values.length > 0) {
    return field.values.filter((value) => value.startsWith(typed)).map((value) => ({ value: quoted(value) }));
  }
  if (field.kinds.includes('boolean')) return ['true', 'false'].map((value) => ({ value }));
  if (!isPath(field)) return [];
  return (await completePath(typed, place)).map(({ value }) => ({ value: quoted(value), label: value }));
}

const firstSentence = (text: string): string =>
  visible(/^[^\n]*?(?:\.(?=\s|$)|(?=\n|$))/.exec(text)?.[0] ?? '').slice(0, 120);
