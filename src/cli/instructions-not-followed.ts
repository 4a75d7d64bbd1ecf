import { realpathSync } from 'node:fs';
import { type InstructionFile, projectInstructions } from '../agent/instructions/instruction-files.js';
import { homeFolder } from '../platform/files/paths.js';
import { visible } from '../platform/text/visible.js';
import type { CliEngineOptions } from './engine-options.js';
import type { RunFlags } from './run-flags.js';

/** The project's instruction files that a conversation here would get as notes only. */
export function instructionsNotFollowed(
  { instructions }: Pick<RunFlags, 'instructions'>,
  { settings: { current }, toolSet, root = process.cwd() }: CliEngineOptions,
): InstructionFile[] {
  const areSent = instructions && toolSet !== 'simple' && current.instructions?.value !== false;
  if (!areSent || current.trust.followsInstructions) return [];
  return projectInstructions({ root: realpathSync(root), home: homeFolder() });
}

/** One sentence for a run that can't ask about them; undefined if there are none. */
export function notFollowedNotice(files: readonly InstructionFile[]): string | undefined {
  if (files.length === 0) return undefined;
  const names = visible(files.map(({ shown }) => shown).join(', '));
  return `The model gets ${names} as notes only, because this folder is not trusted. To follow the instructions: helve config trust; for one run: --trust.`;
}
