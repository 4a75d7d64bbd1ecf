import { stat } from 'node:fs/promises';
import { resolveIn } from '../../platform/files/paths.js';
import type { TerminalCommand } from '../contract.js';
import { completePath } from '../input/complete-path.js';
import { problem, text } from './answers.js';

export const addDir: TerminalCommand = {
  name: 'add-dir',
  group: 'Settings',
  description: 'add a folder to the project',
  argumentHint: 'folder',
  complete: async (typed, { cwd, home }) => await completePath(typed, { cwd, home, onlyFolders: true }),

  async run(args, session) {
    const { cwd, home, additionalDirectories } = session;
    const wanted = args.trim();
    if (wanted === '') {
      if (additionalDirectories.length === 0) return problem('Which folder? Use /add-dir FOLDER.');
      return text(
        'Part of the project:',
        ...additionalDirectories.map((folder) => `  ${folder}`),
        'To add one: /add-dir FOLDER',
      );
    }
    const folder = resolveIn(cwd, wanted, () => home);
    const isFolder = await stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isFolder) return problem(`There is no folder ${folder}.`);
    await session.addDirectory(folder);
    return text(`${folder} is part of the project for this conversation.`);
  },
};
