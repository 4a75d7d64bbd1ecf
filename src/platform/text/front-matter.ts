import { clause } from './clause.js';

const MAX_FRONT_MATTER_CHARS = 100_000; // what somebody writes by hand above a text is a hundredth of this

/** Sentences, which people write without the quotes that YAML wants: `argument-hint: [file] [tone]`. */
const SENTENCE = /^(description|argument-hint|when_to_use):[ \t]+(?!["'|>])(\S.*)$/gm;

export interface FrontMatter {
  fields: Record<string, unknown>;
  /** What follows it; the whole text where there is none. */
  body: string;
}

/**
 * Takes a markdown text apart into the fields between its leading `---` lines and what follows. What reads YAML is
 * loaded only where there are such lines. Throws an `Error` that names the line where they can't be understood.
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

/** What most people write needs nobody who knows YAML: names with a few words behind each, that can mean but themselves. */
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
  // The core schema, and no tags beside it: nothing but plain values can come of it.
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
    fields = document.toJS({ maxAliasCount: 0 }); // with none there is no bomb of aliases, and no value within itself
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

/** Whether two names of fields are the same but for capitals, hyphens and the `s` at the end. */
export const isSameField = (one: string, other: string): boolean => lettersOf(one) === lettersOf(other);

const lettersOf = (field: string): string => field.toLowerCase().replaceAll(/[-_ ]|s$/g, '');
