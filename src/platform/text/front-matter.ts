import { clause } from './clause.js';

const MAX_FRONT_MATTER_CHARS = 100_000; // a hundred times as long as any front matter written by hand

/**
 * Fields with plain sentences, which people write without the quotes that YAML requires: `argument-hint: [file]
 * [tone]`.
 */
const SENTENCE = /^(description|argument-hint|when_to_use):[ \t]+(?!["'|>])(\S.*)$/gm;

export interface FrontMatter {
  fields: Record<string, unknown>;
  /** The text after the front matter; the whole text if there is none. */
  body: string;
}

/**
 * Splits a markdown text into the fields between its leading `---` lines and the rest. The YAML parser is loaded only
 * if there are such lines. Throws an `Error` that names the line if they can't be parsed.
 */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const opening = /^---[ \t]*(?:\r\n|\n|$)/.exec(plain);
  if (!opening) return { fields: {}, body: plain };

  const rest = plain.slice(opening[0].length);
  const closing = /^---[ \t]*(?:\r\n|\n|$)/m.exec(rest);
  if (!closing) {
    throw new Error('line 1: the front matter has no end. Put a line of "---" below it, or remove the one above it.');
  }
  const written = rest.slice(0, closing.index);
  const body = rest.slice(closing.index + closing[0].length);
  if (written.length > MAX_FRONT_MATTER_CHARS) {
    throw new Error(
      `line 1: the front matter has ${written.length} characters, and at most ${MAX_FRONT_MATTER_CHARS} are read. Move what is long below it.`,
    );
  }
  return { fields: plainFields(written) ?? (await fieldsOf(written)), body };
}

/** Most front matter needs no YAML parser: plain names, each with a few unambiguous words. */
function plainFields(written: string): Record<string, string> | undefined {
  const lines = written.split(/\r?\n/).filter((line) => line.trim() !== '');
  const fields = lines.map((line) => /^([A-Za-z][\w-]*): +([A-Za-z](?:[\w .,;()/'-]*[\w.)])?) *$/.exec(line));
  const found: Record<string, string> = {};
  for (const field of fields) {
    const [, name = '', value = ''] = field ?? [];
    if (name === '' || Object.hasOwn(found, name) || /^(?:true|false|null)$/i.test(value)) return undefined;
    found[name] = value;
  }
  return found;
}

async function fieldsOf(written: string): Promise<Record<string, unknown>> {
  const { LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  // The core schema without further tags, so that only plain values can result.
  const parse = (text: string, counter?: InstanceType<typeof LineCounter>) =>
    parseDocument(text, {
      schema: 'core',
      resolveKnownTags: false,
      prettyErrors: false,
      ...(counter && { lineCounter: counter }),
    });
  let document = parse(written, lineCounter);
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) {
    document = parse(
      written.replaceAll(SENTENCE, (_, name: string, value: string) => `${name}: ${JSON.stringify(value.trimEnd())}`),
    );
    if (document.errors.length + document.warnings.length > 0) {
      const line = lineCounter.linePos(problem.pos[0]).line + 1; // the line of dashes is the first
      throw new Error(
        `line ${line}: the front matter is not valid YAML: ${clause(problem.message)}. Correct it; quotes around a value keep it as it is.`,
      );
    }
  }
  let fields: unknown;
  try {
    fields = document.toJS({ maxAliasCount: 0 }); // without aliases there are no alias bombs and no circular values
  } catch (cause) {
    throw new Error(
      'line 2: the front matter has an alias ("*name"), and those are not followed. Write the value out, or put quotes around it.',
      { cause },
    );
  }
  if (fields === null) return {};
  if (typeof fields !== 'object' || Array.isArray(fields)) {
    throw new Error('line 2: the front matter is not made of "name: value" lines. Write it so, or remove it.');
  }
  return { ...fields };
}

/** Whether two field names are equal, ignoring case, hyphens and a trailing `s`. */
export const isSameField = (one: string, other: string): boolean => lettersOf(one) === lettersOf(other);

const lettersOf = (field: string): string => field.toLowerCase().replaceAll(/[-_ ]|s$/g, '');
