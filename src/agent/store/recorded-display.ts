// What the person saw of a result is kept with it, within bounds, so that a resumed conversation can show it again.
import { todosFrom } from '../../contract/todo.js';
import type { DisplayBody, ToolDisplay } from '../../contract/tool.js';
import { counted } from '../../platform/text/counted.js';

const MAX_TEXT_CHARS = 4096;
const MAX_PATCH_CHARS = 8192;
const MAX_DISPLAY_CHARS = 12_000;

/** The display, small enough for a line of the session's file. */
export function recordedDisplay({ body, ...display }: ToolDisplay): ToolDisplay {
  if (body?.type === 'diff' && body.patch.length > MAX_PATCH_CHARS) {
    return { ...display, facts: [...(display.facts ?? []), ...countsOf(body.patch)] };
  }
  const small = body && { ...display, body: boundedBody(body) };
  return small && JSON.stringify(small).length <= MAX_DISPLAY_CHARS ? small : display;
}

function boundedBody(body: DisplayBody): DisplayBody {
  switch (body.type) {
    case 'text':
    case 'markdown':
      return { type: body.type, text: bounded(body.text) };
    case 'output': {
      const { text, styled } = body;
      return { type: 'output', text: bounded(text), ...(styled && styled.length <= MAX_TEXT_CHARS && { styled }) };
    }
    default:
      return body;
  }
}

/** The beginning and the end, in whole lines where there are any. */
function bounded(text: string): string {
  if (text.length <= MAX_TEXT_CHARS) return text;
  const half = MAX_TEXT_CHARS / 2;
  const head = text.slice(0, text.lastIndexOf('\n', half) + 1 || half);
  const tail = text.slice(text.indexOf('\n', text.length - half) + 1 || text.length - half);
  const left = text.slice(head.length, text.length - tail.length).split('\n').length;
  return `${head.trimEnd()}\n… ${counted(left, 'line')} not kept for display\n${tail}`;
}

/** The changed lines of a patch that is too long to be kept. */
function countsOf(patch: string): string[] {
  const body = patch.slice(Math.max(0, patch.indexOf('@@'))).split('\n');
  const count = (sign: string): number => body.filter((line) => line.startsWith(sign)).length;
  return [`+${count('+')} -${count('-')}`];
}

/** Whether a value read from a file is a display. */
export function isDisplay(value: unknown): value is ToolDisplay {
  if (!isFields(value) || typeof value['title'] !== 'string') return false;
  const { action, facts, looks, body, writtenBy } = value;
  return (
    [action, writtenBy].every((text) => text === undefined || typeof text === 'string') &&
    (facts === undefined || isTexts(facts)) &&
    (looks === undefined || ['read', 'search', 'find', 'list'].some((known) => known === looks)) &&
    (body === undefined || isBody(body))
  );
}

function isBody(body: unknown): boolean {
  if (!isFields(body)) return false;
  const { type, text, styled, path, patch, items } = body;
  if (type === 'text' || type === 'markdown') return typeof text === 'string';
  if (type === 'output') return typeof text === 'string' && (styled === undefined || typeof styled === 'string');
  if (type === 'diff') return typeof path === 'string' && typeof patch === 'string';
  if (type === 'list') return isTexts(items);
  return type === 'todos' && todosFrom(items) !== undefined;
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string');

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
