import type { ListedCommand } from '../../contract/command.js';
import type { AnswerSection, TerminalCommand } from '../contract.js';
import { text } from './answers.js';

const MAX_ABOUT_CHARS = 90;

export const skills: TerminalCommand = {
  name: 'skills',
  group: 'Session',
  description: 'list skills and your own commands',

  async run(_, session) {
    const all = await session.commands();
    if (all.length === 0) {
      return text('No skills or commands of your own. A file .helve/commands/NAME.md becomes the command /NAME.');
    }
    const sections: AnswerSection[] = [
      { title: 'Skills', lines: linesOf(all.filter(({ kind }) => kind === 'skill')) },
      { title: 'Commands', lines: linesOf(all.filter(({ kind }) => kind === 'command')) },
      { title: 'Prompts of MCP servers', lines: linesOf(all.filter(({ kind }) => kind === 'prompt')) },
    ];
    return { type: 'sections', sections: sections.filter(({ lines }) => lines.length > 0) };
  },
};

function linesOf(commands: readonly ListedCommand[]): string[] {
  return commands.flatMap(({ name, description, file }) => {
    const [line = ''] = description.trim().split('\n', 1);
    const about = line.length > MAX_ABOUT_CHARS ? `${line.slice(0, MAX_ABOUT_CHARS - 1)}…` : line;
    return [`  /${name}  ${about}`, ...(file === undefined ? [] : [`      from ${file}`])];
  });
}
