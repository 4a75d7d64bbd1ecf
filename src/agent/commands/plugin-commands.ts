// Commands and skills of plugins. A person has approved their content.
import { dirname } from 'node:path';
import { clause } from '../../platform/text/clause.js';
import { shownLine } from '../../platform/text/shown-line.js';
import { hiddenIn, readProjectText, type TextRules } from '../project-text.js';
import { brokenCommand, type Command, type CommandOrigin, readCommand } from './command-file.js';

const MAX_CHARS = 200_000;

/** The commands of one plugin. */
export interface PluginCommands {
  plugin: string;
  /** Its folder, which the model may read once it uses one of them. */
  root: string;
  commands: ReadonlyArray<{ name: string; kind: 'skill' | 'command'; path: string; text?: string }>;
  /** By name, without `${}`. */
  variables: Readonly<Record<string, string>>;
}

export async function readPluginCommands(plugins: readonly PluginCommands[], rules: TextRules): Promise<Command[]> {
  const read = plugins.flatMap(({ plugin, root, commands, variables }) =>
    commands.map(async ({ name, kind, path, text: written }): Promise<Command> => {
      const shown = shownLine(`plugin ${plugin}: ${path.slice(root.length + 1)}`);
      const origin: CommandOrigin = { name: `${plugin}:${name}`, kind, source: 'plugin', shown, folder: dirname(path) };
      const read =
        written === undefined
          ? await readProjectText(path, { source: 'user', maxChars: MAX_CHARS }, rules)
          : { text: written, hidden: 0 };
      if (!('text' in read)) return brokenCommand(origin, `${shown} can't be used: ${clause(read.problem)}.`);
      const command = await readCommand(origin, read.text);
      const warning = [command.warning, read.hidden > 0 ? hiddenIn(shown, read.hidden) : undefined].filter(Boolean);
      // Variables in the text are filled in when it is used, so that they are quoted within shell commands.
      const fill = (rule: string): string => fillFacts(rule, variables);
      return {
        ...command,
        description: shownLine(command.description),
        ...(command.argumentHint !== undefined && { argumentHint: shownLine(command.argumentHint, 200) }),
        allowedTools: command.allowedTools.map(fill),
        disallowedTools: command.disallowedTools.map(fill),
        plugin: { root, variables },
        ...(warning.length > 0 && { warning: warning.join(' ') }),
      };
    }),
  );
  return await Promise.all(read);
}

/** Unknown variables stay. */
const fillFacts = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\{([\w.]+)\}/g, (written, name: string) =>
    Object.hasOwn(variables, name) ? (variables[name] ?? written) : written,
  );
