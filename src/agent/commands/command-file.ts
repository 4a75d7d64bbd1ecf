// Reads the file of one command or skill.

import type { CommandKind } from '../../contract/command.js';
import { splitRules } from '../../permissions/split-rules.js';
import { messageOf } from '../../platform/message-of.js';
import { isSameField, readFrontMatter } from '../../platform/text/front-matter.js';

const MAX_DESCRIPTION_CHARS = 1_536;

export interface Command {
  name: string;
  kind: CommandKind;
  source: 'user' | 'project' | 'plugin';
  /** The plugin that it belongs to: its folder, and its variables. */
  plugin?: { root: string; variables: Readonly<Record<string, string>> };
  /** The path for display. */
  shown: string;
  /** The folder of the file. */
  folder: string;
  description: string;
  /** Whether the file has a description; otherwise it is the beginning of the text. */
  isDescribed: boolean;
  argumentHint?: string;
  /** The names of the arguments, in order. */
  argumentNames: readonly string[];
  allowedTools: readonly string[];
  disallowedTools: readonly string[];
  model?: string;
  /** Whether the model may use it. */
  forModel: boolean;
  /** Whether a person may call it by its name. */
  forPerson: boolean;
  body: string;
  /** Why it can't be used. */
  problem?: string;
  /** A notice for the person. */
  warning?: string;
}

export type CommandOrigin = Pick<Command, 'name' | 'kind' | 'source' | 'shown' | 'folder'>;

export async function readCommand(origin: CommandOrigin, text: string): Promise<Command> {
  let read: Awaited<ReturnType<typeof readFrontMatter>>;
  try {
    read = await readFrontMatter(text);
  } catch (error) {
    return brokenCommand(origin, `${origin.shown}: ${messageOf(error)}`);
  }
  const { fields } = read;
  const slips = slipsIn(fields);
  const said = slips
    .map(({ field, meant }) => `${origin.shown}: there is no field "${field}". Write "${meant}".`)
    .join(' ');
  if (slips.some(({ meant }) => tightening.includes(meant))) return brokenCommand(origin, said);
  const body = read.body.trim();
  const hint = hintOf(fields['argument-hint']);
  const description = [textOf(fields['description']), textOf(fields['when_to_use'])].filter((part) => part !== '');
  return {
    ...origin,
    isDescribed: description.length > 0,
    description: (description.join(' ') || firstLine(body)).slice(0, MAX_DESCRIPTION_CHARS),
    ...(hint !== '' && { argumentHint: hint }),
    argumentNames: listOf(fields['arguments'], (text) => text.split(/[\s,]+/)),
    allowedTools: listOf(fields['allowed-tools'], splitRules),
    disallowedTools: listOf(fields['disallowed-tools'], splitRules),
    ...(textOf(fields['model']) !== '' && { model: textOf(fields['model']) }),
    // A restriction applies even if its value is not valid.
    forModel: [undefined, null, false, 'false', 'no'].includes(fields['disable-model-invocation'] as undefined),
    forPerson: [undefined, null, true, 'true', 'yes'].includes(fields['user-invocable'] as undefined),
    body,
    ...(said !== '' && { warning: said }),
  };
}

const tightening = ['disallowed-tools', 'disable-model-invocation', 'user-invocable'];

const knownFields = [
  ...['description', 'when_to_use', 'argument-hint', 'arguments', 'allowed-tools', 'model'],
  ...tightening,
];

/** Misspelled fields. Fields of other programs are not reported. */
function slipsIn(fields: Readonly<Record<string, unknown>>): Array<{ field: string; meant: string }> {
  return Object.keys(fields).flatMap((field) => {
    const meant = knownFields.find((known) => isSameField(known, field));
    return meant === undefined || knownFields.includes(field) ? [] : [{ field, meant }];
  });
}

export const brokenCommand = (origin: CommandOrigin, problem: string): Command => ({
  ...origin,
  description: '',
  isDescribed: false,
  argumentNames: [],
  allowedTools: [],
  disallowedTools: [],
  forModel: false,
  forPerson: true,
  body: '',
  problem,
});

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim().replaceAll(/\s+/g, ' ') : '';

/** YAML parses a hint such as `[file]` as a list. */
const hintOf = (value: unknown): string =>
  Array.isArray(value) ? value.map((part) => `[${textOf(part)}]`).join(' ') : textOf(value);

function listOf(value: unknown, split: (text: string) => string[]): string[] {
  const parts = typeof value === 'string' ? split(value) : Array.isArray(value) ? value.map(textOf) : [];
  return parts.filter((part) => part !== '');
}

const firstLine = (body: string): string =>
  (body.split('\n').find((line) => line.trim() !== '') ?? '').replace(/^#+/, '').trim();
