// The actions that keys of the terminal can be bound to, and the syntax of keys.
import { nearestWords } from '../platform/text/similar-text.js';

/** The actions of keys, with their default keys. */
export const keyActions = {
  submit: { about: 'send the prompt', keys: ['enter'] },
  newLine: { about: 'insert a new line', keys: ['shift+enter', 'ctrl+j'] },
  interrupt: { about: 'stop the work; twice: go back to an earlier prompt', keys: ['escape'] },
  clear: { about: 'clear the prompt; twice: exit', keys: ['ctrl+c'] },
  quit: { about: 'exit, if the prompt is empty', keys: ['ctrl+d'] },
  cycleMode: { about: 'go to the next permission mode', keys: ['shift+tab'] },
  historySearch: { about: 'search earlier prompts', keys: ['ctrl+r'] },
  historyPrevious: { about: 'show the previous prompt', keys: ['ctrl+p'] },
  historyNext: { about: 'show the next prompt', keys: ['ctrl+n'] },
  expand: { about: 'show the details of results', keys: ['ctrl+o'] },
  background: { about: 'move a running command to the background', keys: ['ctrl+b'] },
  externalEditor: { about: 'edit the prompt in your own editor', keys: ['ctrl+g'] },
  pasteImage: { about: 'attach the image in the clipboard', keys: ['ctrl+v'] },
  todos: { about: 'show or hide the to-do list', keys: ['ctrl+t'] },
  complete: { about: 'complete a name or a path', keys: ['tab'] },
  redraw: { about: 'redraw the screen', keys: ['ctrl+l'] },
  suspend: { about: 'suspend Helve', keys: ['ctrl+z'] },
  undo: { about: 'undo a change of the prompt', keys: ['ctrl+-'] },
} as const satisfies Readonly<Record<string, { about: string; keys: readonly string[] }>>;

export type KeyAction = keyof typeof keyActions;

// The type of Object.keys is string[]; the table is a constant, so its keys are exactly these.
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

/** A key in its normal form, such as `ctrl+shift+p`, or the problem with it. */
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
