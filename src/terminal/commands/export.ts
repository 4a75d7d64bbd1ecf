import { join, resolve } from 'node:path';
import { exportFormats, exportSession } from '../../agent/store/export-session.js';
import { readSession } from '../../agent/store/read-session.js';
import { secretsIn } from '../../agent/store/redact-secrets.js';
import { restoreSession } from '../../agent/store/restore-session.js';
import { sessionFolder } from '../../agent/store/session-folder.js';
import { SessionProblem } from '../../agent/store/session-problem.js';
import { writeExport } from '../../agent/store/write-export.js';
import { mkdirPrivate } from '../../platform/files/mkdir-private.js';
import type { TerminalCommand } from '../contract.js';
import { problem, text } from './answers.js';

export const exportConversation: TerminalCommand = {
  name: 'export',
  group: 'Conversation',
  description: 'write the conversation to a file',
  argumentHint: '[file.md | file.html]',
  needsRest: true,

  async run(args, { id, cwd, dataFolder, env, prompts }) {
    if (prompts.length === 0) return problem('Nothing has been said yet, so there is nothing to write.');
    // Not into the project: later searches would find it there.
    const folder = join(dataFolder, 'exports');
    const file = args.trim() === '' ? join(folder, `${id.slice(0, 8)}.md`) : resolve(cwd, args.trim());
    const format = exportFormats.find((known) => file.endsWith(`.${known}`));
    if (!format) return problem(`${file} is neither .md nor .html. Choose one of the two.`);
    try {
      const session = restoreSession(readSession(sessionFolder(dataFolder, id)), { mode: 'default', whole: true });
      if (args.trim() === '') mkdirPrivate(folder);
      await writeExport(file, exportSession(session, { id, format, secrets: secretsIn(env) }));
    } catch (error) {
      if (error instanceof SessionProblem) return problem(error.message);
      throw error;
    }
    return text(`Written to ${file}\nKnown formats of secrets are blacked out; read it before you share it.`);
  },
};
