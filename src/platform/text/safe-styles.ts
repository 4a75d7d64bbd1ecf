import { fullyVisible } from './visible.js';

/**
 * The lines of a program's terminal output with its colours only: sequences that move the cursor, clear, hide or set
 * titles are removed, and the remaining control characters are shown. Each line sets its own colours, so that any of
 * them can be drawn alone.
 */
export function styledLines(text: string, { colors }: { colors: boolean }): string[] {
  const state = new Map<Kind, string>();
  return text
    .replaceAll(/(?<!\r)\r+\n/g, '\n')
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => (colors ? styledLine(lastState(line), state) : plainLine(lastState(line))));
}

const plainLine = (line: string): string => fullyVisible(line.replaceAll(escapeSequences, ''));

function styledLine(line: string, state: Map<Kind, string>): string {
  let out = codesOf(state);
  let from = 0;
  for (const found of line.matchAll(escapeSequences)) {
    out += fullyVisible(line.slice(from, found.index));
    from = found.index + found[0].length;
    const codes = /^.\[([\d;]*)m$/.exec(found[0])?.[1];
    if (codes === undefined) continue;
    const before = codesOf(state);
    applyCodes(codes, state);
    const after = codesOf(state);
    if (after !== before) out += after === '' ? RESET : `${before === '' ? '' : RESET}${after}`;
  }
  out += fullyVisible(line.slice(from));
  return state.size > 0 ? `${out}${RESET}` : out;
}

const RESET = '\u001b[0m';

/** The property that a code sets: a later code replaces an earlier one of the same property. */
type Kind = 'weight' | 'slant' | 'line' | 'inverse' | 'strike' | 'fore' | 'back';

function codesOf(state: ReadonlyMap<Kind, string>): string {
  const shown = isHidden(state) ? [...state].filter(([kind]) => kind !== 'back') : [...state];
  return shown.length === 0 ? '' : `\u001b[${shown.map(([, codes]) => codes).join(';')}m`;
}

/** Text in the colour of its background would be visible to the model but not to the person. */
function isHidden(state: ReadonlyMap<Kind, string>): boolean {
  const [fore, back] = [state.get('fore'), state.get('back')];
  if (fore === undefined || back === undefined) return false;
  return fore.startsWith('38;') ? fore.slice(3) === back.slice(3) : Number(fore) + 10 === Number(back);
}

function applyCodes(text: string, state: Map<Kind, string>): void {
  const codes = text.split(';').map(Number);
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    if (code === 0) state.clear();
    else if (code === 38 || code === 48) {
      const length = codes[index + 1] === 5 ? 3 : codes[index + 1] === 2 ? 5 : 0;
      if (length === 0) return; // malformed: the following codes are ambiguous
      const parts = codes.slice(index, index + length);
      if (parts.length === length && parts.every((part) => part <= 255)) {
        state.set(code === 38 ? 'fore' : 'back', parts.join(';'));
      }
      index += length - 1;
    } else applyCode(code, state);
  }
}

function applyCode(code: number, state: Map<Kind, string>): void {
  const ending = endings[code];
  if (ending) state.delete(ending);
  else if (code <= 2) state.set('weight', String(code));
  else if (code === 3) state.set('slant', '3');
  else if (code === 4) state.set('line', '4');
  else if (code === 7) state.set('inverse', '7');
  else if (code === 9) state.set('strike', '9');
  else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) state.set('fore', String(code));
  else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) state.set('back', String(code));
  // Everything else, including blinking and hidden text, is dropped.
}

const endings: Readonly<Record<number, Kind>> = {
  22: 'weight',
  23: 'slant',
  24: 'line',
  27: 'inverse',
  29: 'strike',
  39: 'fore',
  49: 'back',
};

/** A carriage return restarts the line, as progress bars do; a backspace deletes one character, as man pages do. */
function lastState(line: string): string {
  const state = line.includes('\r') ? (line.split('\r').findLast((each) => each !== '') ?? '') : line;
  return state.includes('\b') ? state.replaceAll(/[^\b][\b]/g, '').replaceAll('\b', '') : state;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are searched for
const escapeSequences = /\x1b\[[0-?]*[ -/]*(?:[@-~]|$)|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|\x07/g;
