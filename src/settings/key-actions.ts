// What keys of the terminal can be set to do, and how keys are written.
import { nearestWords } from '../platform/text/similar-text.js';

/** What a key does, and the keys that do it where nobody says otherwise. */
export const keyActions = {
  submit: { about: 'send the prompt', keys: ['enter'] },
  newLine: { about: 'begin a new line', keys: ['shift+enter', 'ctrl+j'] },
  interrupt: { about: 'stop the work; twice: go back to an earlier prompt', keys: ['escape'] },
  clear: { about: 'empty the prompt; twice: leave', keys: ['ctrl+c'] },
  quit: { about: 'leave, where the prompt is empty', keys: ['ctrl+d'] },
  cycleMode: { about: 'go to the next permission mode', keys: ['shift+tab'] },
  historySearch: { about: 'search earlier prompts', keys: ['ctrl+r'] },
  historyPrevious: { about: 'the prompt before', keys: ['ctrl+p'] },
  historyNext: { about: 'the prompt after', keys: ['ctrl+n'] },
  expand: { about: 'show results whole, or folded', keys: ['ctrl+o'] },
  background: { about: 'move a running command to the background', keys: ['ctrl+b'] },
  externalEditor: { about: 'write the prompt in your own editor', keys: ['ctrl+g'] },
  pasteImage: { about: 'attach the picture that is in the clipboard', keys: ['ctrl+v'] },
  todos: { about: 'show or hide the to-do list', keys: ['ctrl+t'] },
  complete: { about: 'complete a name or a path', keys: ['tab'] },
  redraw: { about: 'draw the screen anew', keys: ['ctrl+l'] },
  suspend: { about: 'suspend helve', keys: ['ctrl+z'] },
  undo: { about: 'take back a change of the prompt', keys: ['ctrl+-'] },
} as const satisfies Readonly<Record<string, { about: string; keys: readonly string[] }>>;

export type KeyAction = keyof typeof keyActions;

// Object.keys can't say that the keys are those of the table, which is a constant.
export const keyActionNames = Object.keys(keyActions) as readonly KeyAction[];

const modifiers = ['ctrl', 'shift', 'alt', 'super'];
const namedKeys = [
  ...['escape', 'enter', 'tab', 'space', 'backspace', 'delete', 'insert', 'home', 'end', 'pageUp', 'pageDown'],
  ...['up', 'down', 'left', 'right', ...Array.from({ length: 12 }, (_, index) => `f${index + 1}`)],
];
const otherNames: Readonly<Record<string, string>> = {
  esc: 'escape',
  return: 'enter',
  control: 'ctrl',
  option: 'alt',
  meta: 'alt',
  cmd: 'super',
};

/** A key in one spelling, as in `ctrl+shift+p`, or what is wrong with it. */
export function readKey(text: string): { key: string } | { problem: string } {
  const names = text
    .trim()
    .split(/(?<!^|\+)\+/)
    .map((name) => otherNames[name.toLowerCase()] ?? name);
  const key = names.at(-1) ?? '';
  const held = names.slice(0, -1).map((name) => name.toLowerCase());
  const wrong = held.find((name) => !modifiers.includes(name));
  if (wrong !== undefined) return { problem: unknown(wrong, modifiers) };
  const known = namedKeys.find((name) => name.toLowerCase() === key.toLowerCase());
  const isCharacter = /^[!-~]$/.test(key);
  if (known === undefined && !isCharacter) return { problem: unknown(key, namedKeys) };
  if (isCharacter && held.every((name) => name === 'shift')) {
    return { problem: `"${text}" is a character that is typed, and can't be a key: hold ctrl or alt with it` };
  }
  const order = modifiers.filter((name) => held.includes(name));
  return { key: [...order, known ?? key.toLowerCase()].join('+') };
}

function unknown(name: string, known: readonly string[]): string {
  const [nearest] = nearestWords(name, known);
  return `there is no key "${name}"${nearest === undefined ? ', write it as in "ctrl+r", "escape" or "f5"' : `, did you mean "${nearest}"?`}`;
}
