// Expands a command for the model: fills in arguments, the output of its shell commands, and the
// files that it names. Shell commands and files are ordinary calls, decided and recorded as such.
import { statSync } from 'node:fs';
import { ToolFailure } from '../../contract/failure.js';
import type { ContentBlock } from '../../contract/message.js';
import { resolveIn, shortPath } from '../../platform/files/paths.js';
import { findImports, withoutEnding } from '../instructions/find-imports.js';
import { type Arguments, fillIn, fillInCommand, takesArguments } from './arguments.js';
import type { Command } from './command-file.js';

const MAX_COMMANDS = 20;
const MAX_MENTIONS = 10;

export interface ExpandOptions {
  args: Arguments;
  /** Files that the person mentioned in the arguments. */
  mentioned: readonly string[];
  root: string;
  home: string | undefined;
  /** Whether shell commands of this file may be run. */
  isTrusted: boolean;
  run: RunOwnCall;
  signal: AbortSignal;
}

/** Runs a call on behalf of a command, with all decisions and hooks. */
export type RunOwnCall = (
  what: { shell: string } | { file: string },
  signal: AbortSignal,
) => Promise<{ content: string | ContentBlock[]; refused?: string }>;

export async function expandCommand(command: Command, options: ExpandOptions): Promise<ContentBlock[]> {
  const { args } = options;
  const parts = splitCommands(command.body);
  const lines = parts.filter((part) => 'shell' in part);
  if (lines.length > 0 && !options.isTrusted) throw untrusted(command, lines[0]?.shell ?? '');
  if (lines.length > MAX_COMMANDS) {
    throw new ToolFailure(
      `${command.shown} has ${lines.length} commands to run, and at most ${MAX_COMMANDS} are run.`,
      { advice: 'Put them into a script.' },
    );
  }
  const texts: string[] = [];
  // One after the other, since a command may depend on the one before it.
  for (const part of parts) {
    texts.push(
      'shell' in part ? await outputOf(command, fillInCommand(part.shell, args), options) : fillIn(part.text, args),
    );
  }
  const hasPlace = takesArguments(command.body, args);
  if (!hasPlace && args.whole !== '') texts.push(`\n\nARGUMENTS: ${args.whole}`);
  const written = parts.flatMap((part) => ('text' in part ? findImports(part.text) : []));
  const files = await mentionedFiles([...written.map((path) => fillIn(path, args)), ...options.mentioned], options);
  return [{ type: 'text', text: texts.join('').trim() }, ...files];
}

type Part = { text: string } | { shell: string };

function splitCommands(body: string): Part[] {
  const [opening, closing] = [/^[ \t]*```!\r?\n/gm, /^[ \t]*```[ \t]*$/gm];
  const parts: Part[] = [];
  let from = 0;
  for (;;) {
    opening.lastIndex = from;
    const open = opening.exec(body);
    closing.lastIndex = opening.lastIndex;
    const close = open && closing.exec(body); // if this fence is not closed, no later one is
    if (!open || !close) return [...parts, ...splitInline(body.slice(from))];
    const shell = body.slice(opening.lastIndex, close.index).trim();
    parts.push(...splitInline(body.slice(from, open.index)), { shell });
    from = closing.lastIndex;
  }
}

function splitInline(text: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const match of text.matchAll(/(?<![\w`!])!`([^`\n]+)`/g)) {
    const [whole, shell = ''] = match;
    parts.push({ text: text.slice(from, match.index) }, { shell: shell.trim() });
    from = match.index + whole.length;
  }
  return [...parts, { text: text.slice(from) }];
}

function untrusted({ name, shown }: Command, line: string): ToolFailure {
  return new ToolFailure(
    `/${name} would run "${line}" when it is used (${shown}), and this folder is not trusted, so it was not used.`,
    {
      advice: 'To look at the folder and trust it: helve config trust; for one run: --trust.',
      kind: 'permission_denied',
    },
  );
}

async function outputOf({ name, shown }: Command, shell: string, { run, signal }: ExpandOptions): Promise<string> {
  const { content, refused } = await run({ shell }, signal);
  signal.throwIfAborted();
  if (refused !== undefined) {
    throw new ToolFailure(`/${name} was not used: it runs "${shell}" (${shown}), and that was refused. ${refused}`, {
      kind: 'permission_denied',
    });
  }
  return typeof content === 'string'
    ? content
    : content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

async function mentionedFiles(
  paths: readonly string[],
  { root, home, run, signal }: ExpandOptions,
): Promise<ContentBlock[]> {
  const files = new Set(paths.flatMap((path) => fileAt(path, root, home)));
  const blocks: ContentBlock[] = [];
  for (const file of [...files].slice(0, MAX_MENTIONS)) {
    const { content, refused } = await run({ file }, signal);
    signal.throwIfAborted();
    const shown = shortPath(root, file);
    if (refused !== undefined) {
      blocks.push({ type: 'text', text: `(@${shown} could not be read: ${refused})` });
      continue;
    }
    blocks.push({ type: 'text', text: `What @${shown} holds:` });
    blocks.push(...(typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content));
  }
  return blocks;
}

/** Only existing files count, since `@` also begins other names. */
function fileAt(path: string, root: string, home: string | undefined): string[] {
  for (const written of new Set([path, withoutEnding(path)])) {
    const absolute = resolveIn(root, written, () => home);
    try {
      if (statSync(absolute, { throwIfNoEntry: false })?.isFile()) return [absolute];
    } catch {
      // below a file, or not accessible
    }
  }
  return [];
}
