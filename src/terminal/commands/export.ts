import { resolve } from 'node:path';
import { exportFormats, exportSession } from '../../agent/store/export-session.js';
import { readSession } from '../../agent/store/read-session.js';
import { secretsIn } from '../../agent/store/redact-secrets.js';
import { restoreSession } from '../../agent/store/restore-session.js';
import { sessionFolder } from '../../agent/store/session-folder.js';
import { SessionProblem } from '../../agent/store/session-problem.js';
import { writeExport } from '../../agent/store/write-export.js';
import type { TerminalCommand } from '../contract.js';
import { problem, text } from './answers.js';

export const exportConversation: TerminalCommand = {
  name: 'export',
  description: 'export the conversation as Markdown or HTML',
  argumentHint: '[file.md | file.html]',
  needsRest: true,

  async run(args, { id, cwd, dataFolder, env, prompts }) {
    if (prompts.length === 0) return problem('Nothing has been said yet, so there is nothing to write.');
    const file = args.trim() || `helve-${id.slice(0, 8)}.md`;
    const format = exportFormats.find((known) => file.endsWith(`.${known}`));
    if (!format) return problem(`${file} is neither .md nor .html. Choose one of the two.`);
    try {
      const session = restoreSession(readSession(sessionFolder(dataFolder, id)), { mode: 'default', whole: true });
      await writeExport(resolve(cwd, file), exportSession(session, { id, format, secrets: secretsIn(env) }));
    } catch (error) {
      if (error instanceof SessionProblem) return problem(error.message);
      throw error;
    }
    return text(`Written to ${file}. Known formats of secrets are blacked out; read it before you share it.`);
  },
};
