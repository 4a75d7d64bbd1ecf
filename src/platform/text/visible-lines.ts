import { fullyVisible } from './visible.js';

/** The lines of a text, with invisible characters made visible. A final line feed does not start another line. */
export function visibleLines(text: string): string[] {
  if (text === '') return [];
  return fullyVisible(text.replaceAll('\r\n', '\n')).replace(/\n$/, '').split('\n');
}

/** The text on one line, with invisible characters made visible. */
export const visibleLine = (text: string): string => visibleLines(text).join('⏎');
