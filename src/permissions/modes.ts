// What the modes allow and refuse by themselves, beside the rules.
import type { CommandEffect, Effect, FileEffect } from '../contract/effect.js';

/** The commands that acceptEdits allows if everything they touch is in the project. */
const ACCEPTED_COMMANDS: readonly string[] = ['mkdir', 'touch', 'rm', 'rmdir', 'mv', 'cp', 'sed'];

/** Whether acceptEdits may run the command, given the files that it names and whether each is in the project. */
export function isAcceptedEdit(
  { argv, assignsUnsafely }: CommandEffect,
  files: ReadonlyArray<{ effect: FileEffect; isInWorkspace: boolean }>,
): boolean {
  const [name = '', ...words] = argv ?? [];
  if (!ACCEPTED_COMMANDS.includes(name) || assignsUnsafely) return false;
  if (name === 'rm' && words.some(isRecursiveOrForced)) return false;
  if (name === 'sed' && !isPlainSubstitution(words)) return false;
  return files.some(({ effect }) => effect.access === 'write') && files.every(({ isInWorkspace }) => isInWorkspace);
}

const isRecursiveOrForced = (word: string): boolean => /^-[a-z]*[rf]/i.test(word) || /^--[rf]/.test(word);

/**
 * `sed -i s/a/b/g file`: a script of another shape could run programs or write elsewhere, and so could the suffix of the
 * copy that is kept: with `-i.json`, that of `.mcp` is `.mcp.json`.
 */
function isPlainSubstitution(words: readonly string[]): boolean {
  const options = words.filter((word) => word.startsWith('-'));
  const script = words.find((word) => !word.startsWith('-')) ?? '';
  const [, mark = ''] = /^s([/|#,:!])/.exec(script) ?? [];
  if (
    mark === '' ||
    !options.every((option) =>
      /^-(i|E|r|n|s|Ei|ri)$|^-i(\.(bak|orig|old|tmp|backup|save)|~)$|^--in-place$/.test(option),
    )
  )
    return false;
  const parts = script.slice(2).split(mark);
  return (
    parts.length === 3 &&
    /^[gpI0-9]*$/.test(parts[2] ?? '') &&
    !/[\n\\]$/.test(parts[1] ?? '') &&
    !script.includes('\n')
  );
}

/** What plan mode says to an effect that no rule denies: `deny`, `ask`, or nothing. */
export function planAnswer(effect: Effect, readOnlyHint: boolean): 'deny' | 'ask' | undefined {
  switch (effect.kind) {
    case 'file':
      return effect.access === 'write' ? 'deny' : undefined;
    case 'command':
      return effect.harmless ? undefined : 'deny';
    case 'unknown':
      return readOnlyHint ? 'ask' : 'deny';
    case 'network':
      return 'ask';
    case 'session':
      return effect.what === 'memory' && effect.access === 'write' ? 'deny' : undefined; // it outlives the session
  }
}
