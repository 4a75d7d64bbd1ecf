// Lines of files that a command printed count as read, so that a model that reads by the shell need not read again.
import { statSync } from 'node:fs';
import type { CommandEffect, Effect, FileEffect } from '../../contract/effect.js';
import type { ToolContext } from '../../contract/tool-context.js';
import { stampsOf } from '../../platform/shell/file-stamps.js';
import { mixesOwnText, otherLines } from './other-output.js';

const MAX_FILES = 20;

/** Programs that print lines of their input unchanged, with a check of the options under which they do. */
const READERS: Readonly<Record<string, (options: readonly string[]) => boolean>> = {
  cat: () => true,
  nl: numbersLines,
  head: countsLines,
  tail: countsLines,
  sed: onlyPrints,
  grep: printsLines,
  egrep: printsLines,
  fgrep: printsLines,
  rg: printsLines,
};

/** Programs whose output is known, so that it is not mistaken for text of a file. */
const BESIDE = new Set(['cd', 'pwd', 'ls', 'true', ':', 'echo']);

function numbersLines(options: readonly string[]): boolean {
  return options.every((option) => !option.startsWith('-') || /^-(b[atn]?|w\d*|n([lr]n|rz)?|v\d*)$/.test(option));
}

function countsLines(options: readonly string[]): boolean {
  return options.every((option) => !option.startsWith('-') || /^-(\d+|n\d*|n[+-]\d+|q|v|-lines(=.*)?)$/.test(option));
}

const ADDRESS = String.raw`(?:\d+|\$|/[^/;]*/)`;
const PRINTING = new RegExp(String.raw`^(?:${ADDRESS}(?:,(?:${ADDRESS}|\+\d+))?\s*)?[pdq]$`);

function onlyPrints(options: readonly string[]): boolean {
  const flags = options.filter((option) => option.startsWith('-'));
  if (!flags.every((flag) => /^-(n|E|r|u|e|nE|nr|ne|-quiet|-silent)$/.test(flag))) return false;
  const behindE = options.filter((_, index) => /^-n?e$/.test(options[index - 1] ?? ''));
  const scripts = behindE.length > 0 ? behindE : options.filter((option) => !option.startsWith('-')).slice(0, 1);
  return (
    scripts.length > 0 && scripts.every((script) => script.split(/[;\n]/).every((part) => PRINTING.test(part.trim())))
  );
}

function printsLines(options: readonly string[]): boolean {
  const flag = /^-([nHhiIwxvFEPGsaSuU]|[ABCm]\d*|e|\d)+$/;
  const long =
    /^--(line-number|with-filename|no-filename|ignore-case|smart-case|fixed-strings|extended-regexp|perl-regexp|invert-match|word-regexp|no-heading|heading|color(=\w+)?|(after-|before-)?context(=\d+)?|max-count(=\d+)?|regexp(=.*)?|no-ignore|hidden)$/;
  return options.every(
    (option) => !option.startsWith('-') || option === '--' || flag.test(option) || long.test(option),
  );
}

/** Prepares before the command runs. Undefined if its output does not count as reading. */
export async function watchShown(
  command: string,
  context: ToolContext,
): Promise<{ ended(output: string): Promise<void> } | undefined> {
  const files = filesRead(context.approved);
  if (files.length === 0 || files.length > MAX_FILES) return undefined;
  if (await mixesOwnText(command, (name) => name in READERS)) return undefined;
  const before = files.map((file) => stampsOf([file]).text);
  const isPlain = !context.approved?.some((effect) => effect.kind === 'command' && printsPrefixes(effect));
  return {
    async ended(output) {
      const { noteShown } = await import('../editing/note-shown.js'); // lazy: most commands read no file that is edited later
      const isOther = otherLines(context.approved ?? []);
      if (!isOther) return;
      const printed = output
        .split('\n')
        .map((line) => (isOther(line) ? '\0' : line))
        .join('\n');
      for (const [index, file] of files.entries()) {
        if (stampsOf([file]).text === before[index]) await noteShown(file, printed, context, { isPlain });
      }
    },
  };
}

/** The files whose lines the command may print, if all its effects are known. */
function filesRead(effects: readonly Effect[] | undefined): string[] {
  if (!effects || effects.some(({ kind }) => kind === 'unknown' || kind === 'network')) return [];
  const commands = effects.filter((effect) => effect.kind === 'command');
  if (!commands.every((command) => isKnown(command))) return [];
  const files = effects.filter((effect) => effect.kind === 'file').filter(({ listing }) => !listing);
  return files.every(isOneFile) ? [...new Set(files.map(({ real }) => real))] : [];
}

function isKnown({ argv, harmless }: CommandEffect): boolean {
  const [program = '', ...options] = argv ?? [];
  return harmless && (BESIDE.has(program) || READERS[program]?.(options) === true);
}

/** Whether it may print numbers or names before the lines of a file. */
function printsPrefixes({ argv = [] }: CommandEffect): boolean {
  const [program = '', ...options] = argv;
  if (program !== 'cat') return ['nl', 'grep', 'egrep', 'fgrep', 'rg'].includes(program);
  return options.some((option) => /^-(-number|\w*[nb])/.test(option));
}

const isOneFile = ({ access, pattern, unresolved, real }: FileEffect): boolean =>
  access === 'read' &&
  pattern === undefined &&
  unresolved === undefined &&
  statSync(real, { throwIfNoEntry: false })?.isDirectory() !== true;
