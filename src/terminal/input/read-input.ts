// Classifies a line by its first character.
import { calledIn } from '../../agent/commands/commands.js';

export type TypedInput =
  | { type: 'prompt'; text: string }
  /** `/name` and what follows. */
  | { type: 'command'; name: string; args: string }
  /** `!command`: runs at once, without the model. */
  | { type: 'shell'; command: string }
  /** `#note`: saved for later conversations. */
  | { type: 'note'; text: string };

export function readInput(text: string): TypedInput {
  const typed = text.trim();
  const called = calledIn(typed);
  if (called) return { type: 'command', ...called };
  if (/^!\s*\S/.test(typed)) return { type: 'shell', command: typed.slice(1).trim() };
  // `#12` is an issue number, `##` and further lines are Markdown: they go to the model.
  if (/^#\s*[^\s#\d].*$/.test(typed)) return { type: 'note', text: typed.slice(1).trim() };
  return { type: 'prompt', text: typed };
}

/** The kind of line that the editor indicates while the user types. */
export function inputKind(text: string): TypedInput['type'] {
  const typed = text.trimStart();
  if (typed.startsWith('!')) return 'shell';
  if (typed.startsWith('#') && readInput(`${typed}x`).type === 'note') return 'note';
  return /^\/[\p{L}\p{N}_][^\s/]*(?:\s|$)/u.test(typed) ? 'command' : 'prompt';
}
