// `#note`: appended to the instructions file for later conversations, and told to the model with the next prompt.
import { realpathSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { findInstructions } from '../../agent/instructions/instruction-files.js';
import { mkdirPrivate } from '../../platform/files/mkdir-private.js';
import type { Choice, CommandAnswer, CommandSession } from '../contract.js';
import { problem, text } from './answers.js';

export function remember(note: string, session: CommandSession): CommandAnswer {
  const line = note.trim().replaceAll(/\s+/g, ' ');
  if (line === '') return problem('There is nothing to remember. Type # and a note.');
  return {
    type: 'choose',
    title: `Where is "${line.length > 60 ? `${line.slice(0, 59)}…` : line}" to be saved?`,
    items: placesFor(session),
    async choose(path) {
      await append(path, line);
      session.remind(`The user has saved this note to ${path}; it applies from now on: ${line}`);
      return text(`Saved to ${path}${linkWords(path)}. The model gets it with your next prompt.`);
    },
  };
}

function placesFor(session: CommandSession): Choice[] {
  const { root, home, dataFolder, env } = session;
  const found = findInstructions({ root, home, dataFolder, env }).map(({ path, shown, source }) => ({
    value: path,
    label: shown,
    description: `${source === 'user' ? 'yours, in every project' : 'of the project'}${linkWords(path)}`,
  }));
  const others = newInstructionFiles(session);
  return [...found, ...others.filter(({ value }) => !found.some((one) => one.value === value))];
}

/** Where a link leads: a note must not end up in another file unseen. */
function linkWords(path: string): string {
  try {
    const real = realpathSync(path);
    return real === join(realpathSync(dirname(path)), basename(path)) ? '' : `, a link to ${real}`;
  } catch {
    return ''; // it will be created
  }
}

/** Instruction files that can be created. */
export function newInstructionFiles({ root, dataFolder }: Pick<CommandSession, 'root' | 'dataFolder'>): Choice[] {
  return [
    { value: join(root, 'AGENTS.md'), label: 'AGENTS.md', description: 'of the project, will be created' },
    {
      value: join(root, 'HELVE.local.md'),
      label: 'HELVE.local.md',
      description: 'of the project, for you alone, will be created',
    },
    {
      value: join(dataFolder, 'HELVE.md'),
      label: 'your own HELVE.md',
      description: 'in every project, will be created',
    },
  ];
}

/** Appended on a separate line. */
async function append(path: string, line: string): Promise<void> {
  mkdirPrivate(join(path, '..'));
  const before = await readFile(path, 'utf8').catch(() => '');
  await appendFile(path, `${before === '' || before.endsWith('\n') ? '' : '\n'}- ${line}\n`);
}
