// Splits a typed line into words, as shells do: quotes keep words together, a backslash escapes the next character.
import { parseJson } from '../../platform/parse-json.js';

export interface Word {
  text: string;
  /** Its start and end in the line. */
  start: number;
  end: number;
  /** Part of it was quoted, so it is not an option, even if it looks like one. */
  isQuoted: boolean;
}

export interface Words {
  words: Word[];
  /** The quote that is not closed. */
  open?: '"' | "'";
}

export function readWords(line: string): Words {
  const words: Word[] = [];
  let word: Word | undefined;
  let quote: '"' | "'" | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? '';
    if (quote === undefined && /\s/.test(character)) {
      word = undefined;
      continue;
    }
    const json = word ? undefined : jsonAt(line, at);
    if (json !== undefined) {
      words.push({ text: json, start: at, end: at + json.length, isQuoted: true });
      at += json.length - 1;
      continue;
    }
    if (!word) {
      word = { text: '', start: at, end: at, isQuoted: false };
      words.push(word);
    }
    if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      word.isQuoted = true;
    } else if (character === quote) quote = undefined;
    else if (character === '\\' && isEscape(line[at + 1], quote)) {
      at += 1;
      word.text += line[at];
    } else word.text += character;
    word.end = at + 1;
  }
  return { words, ...(quote && { open: quote }) };
}

/** A JSON array or object is one word, including its quotes; text that only starts like one is an ordinary word. */
function jsonAt(line: string, start: number): string | undefined {
  if (!/[[{]/.test(line[start] ?? '')) return undefined;
  for (let end = start + 1; end <= line.length; end += 1) {
    if (!/[\]}]/.test(line[end - 1] ?? '') || !/^(?:\s|$)/.test(line.slice(end, end + 1))) continue;
    const text = line.slice(start, end);
    if (parseJson(text) !== undefined) return text; // otherwise incomplete, or not JSON
  }
  return undefined;
}

/** In patterns and paths a backslash is usually literal, so it escapes only characters that need it. */
function isEscape(next: string | undefined, quote: '"' | "'" | undefined): boolean {
  if (next === undefined || quote === "'") return false;
  return quote === '"' ? next === '"' || next === '\\' : /[\s"'\\]/.test(next);
}

/** Quotes the text so that it is parsed as one word. */
export function quoted(text: string): string {
  if (text !== '' && !/[\s"'\\]/.test(text) && !text.startsWith('-')) return text;
  return text.includes("'") ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : `'${text}'`;
}
