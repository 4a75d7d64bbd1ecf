// Structured content that repeats the text of a result. Most servers send the same data in both forms, for clients that
// know only one of them; the model needs it once.
import type { ContentBlock } from '../../contract/message.js';
import { isObject } from '../../platform/is-object.js';
import { containsText } from '../../platform/text/contains-text.js';
import { words } from './result-content.js';
import { sorted } from './sorted-json.js';

const MIN_LITERAL_CHARS = 20; // shorter JSON may be in a text by chance
const MIN_REPLACED_CHARS = 200; // a shorter value costs less than the words that would stand for it
const MAX_WRAPPERS = 3; // objects around the one value that says something
const MAX_DEPTH = 100; // of structured content
const REPEATED = '(the text above)';
// A server can make a comparison expensive. What exceeds these counts as not repeated.
const MAX_LITERAL_CHARS = 200_000; // a longer one does not fit into a result anyway
const MAX_SEARCHED_CHARS = 20_000_000; // in all searches for one result

/** The blocks for the model: with the structured content, but without the parts of it that the text says. */
export function withStructured(blocks: readonly ContentBlock[], structured: unknown): ContentBlock[] {
  if (structured === undefined || saysTheSame(blocks, structured)) return [...blocks];
  const texts = spokenTexts(blocks);
  const isRepeated = (value: unknown): boolean =>
    (JSON.stringify(value)?.length ?? 0) >= MIN_REPLACED_CHARS && isSaid(value, texts);
  const rest = isObject(structured)
    ? Object.fromEntries(
        Object.entries(structured).map(([name, value]) => [name, isRepeated(value) ? REPEATED : value]),
      )
    : structured;
  return [...blocks, words(JSON.stringify(rest))];
}

/** Whether the text of a result says all that its structured content says. */
export function saysTheSame(blocks: readonly ContentBlock[], structured: unknown): boolean {
  const texts = spokenTexts(blocks);
  let part = structured;
  for (let depth = 0; depth <= MAX_WRAPPERS && part !== undefined; depth += 1) {
    if (isSaid(part, texts)) return true;
    part = onlyPart(part);
  }
  return false;
}

interface SpokenTexts {
  /** The text of each block. */
  each: readonly string[];
  /** The same, and all of them together. */
  all: readonly string[];
  /** Those without space around them. */
  trimmed: ReadonlySet<string>;
  /** The values of `all` that are JSON, in a form that can be compared. */
  json: ReadonlySet<string>;
  /** Shared by all searches. */
  searched: { chars: number };
}

function spokenTexts(blocks: readonly ContentBlock[], searched = { chars: 0 }): SpokenTexts {
  const each = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const all = each.length === 1 ? each : [each.join('\n'), ...each];
  const json = new Set(all.flatMap((text) => comparable(text) ?? []));
  return { each, all, trimmed: new Set(all.map((text) => text.trim())), json, searched };
}

/** The value of a text that is JSON, perhaps in a fence of Markdown, independent of spaces and of the order of keys. */
function comparable(text: string): string | undefined {
  try {
    return JSON.stringify(sorted(JSON.parse(withoutFence(text))));
  } catch {
    return undefined;
  }
}

function withoutFence(text: string): string {
  const trimmed = text.trim();
  const firstEnd = trimmed.indexOf('\n');
  if (!trimmed.startsWith('```') || !trimmed.endsWith('```') || firstEnd === -1) return text;
  return trimmed.slice(firstEnd, -3);
}

/** A number and a string of its digits are not the same: `{"id": "1"}` is not said by `{"id": 1}`. */
function isSaid(value: unknown, texts: SpokenTexts): boolean {
  const { each, trimmed, json, searched } = texts;
  if (typeof value === 'string' && trimmed.has(value.trim())) return true;
  if (json.has(JSON.stringify(sorted(value)) ?? '')) return true;
  if (Array.isArray(value) && value.length > 1 && value.length === each.length) {
    const isInOrder = value.every((item, index) => isSaid(item, spokenTexts([words(each[index] ?? '')], searched)));
    if (isInOrder) return true;
  }
  if (typeof value !== 'object' || value === null) return false;
  const { length } = JSON.stringify(value);
  if (length < MIN_LITERAL_CHARS || length > MAX_LITERAL_CHARS) return false;
  return [undefined, 2, 4].some((indent) => isInText(JSON.stringify(value, null, indent), texts));
}

function isInText(literal: string, { all, searched }: SpokenTexts): boolean {
  return all.some((text) => {
    if (literal.length > text.length || searched.chars > MAX_SEARCHED_CHARS) return false;
    searched.chars += text.length + literal.length;
    return containsText(text, literal);
  });
}

/**
 * Structured content used to be an object always, so servers wrap text: `{"content": …}`, perhaps with
 * `"success": true`. A list of text blocks stands for its text.
 */
function onlyPart(structured: unknown): unknown {
  if (!isObject(structured)) return undefined;
  const [part, ...others] = Object.values(structured).filter((value) => value !== true);
  if (others.length > 0) return undefined;
  if (!Array.isArray(part)) return part;
  const texts = part.map((block) => (isObject(block) && block['type'] === 'text' ? block['text'] : undefined));
  return texts.length > 0 && texts.every((text) => typeof text === 'string') ? texts.join('\n') : part;
}

/** Whether arrays and objects stand in each other too deep for what is done with structured content. */
export function nestsTooDeep(structured: unknown): boolean {
  let level: unknown[] = [structured];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return false;
}
