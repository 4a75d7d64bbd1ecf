// Holds all commands and skills that were found, and runs them.

import type { ListedCommand, UsedCommand, WantedCommand } from '../../contract/command.js';
import { ToolFailure } from '../../contract/failure.js';
import type { ContentBlock } from '../../contract/message.js';
import { messageOf } from '../../platform/message-of.js';
import { nearestWords } from '../../platform/text/similar-text.js';
import { findImports } from '../instructions/find-imports.js';
import { splitWords } from './arguments.js';
import type { Command } from './command-file.js';
import type { CommandPlace } from './command-places.js';
import type { Called, CommandsOptions } from './commands.js';
import { expandCommand } from './expand-command.js';
import { findCommands, untrustedPlaces } from './find-commands.js';
import { listedCommands } from './list-commands.js';

const MAX_NAMED = 20;

export interface BookOptions extends CommandsOptions {
  boundary: string;
}

export class CommandBook {
  readonly #commands: readonly Command[];
  readonly #options: BookOptions;
  /** Commands of which the person was told that some of their rules do not apply. */
  readonly #told = new Set<string>();

  private constructor(commands: readonly Command[], options: BookOptions) {
    this.#commands = commands;
    this.#options = options;
  }

  static async open(places: readonly CommandPlace[], options: BookOptions): Promise<CommandBook> {
    const rules = { ...options, trusted: options.isTrusted() };
    const { plugins = [], skills } = options;
    const found = [
      ...(await findCommands(places, rules)),
      ...(plugins.length === 0 ? [] : await (await import('./plugin-commands.js')).readPluginCommands(plugins, rules)),
    ];
    const commands = found.filter(({ kind, name }) => kind !== 'skill' || (skills?.includes(name) ?? true));
    for (const sentence of untrustedPlaces(places, rules)) options.notify(sentence);
    for (const { problem, warning } of commands) {
      for (const sentence of [problem, warning]) if (sentence !== undefined) options.notify(sentence);
    }
    return new CommandBook(commands, options);
  }

  get names(): { commands: readonly string[]; skills: readonly string[] } {
    const named = (commands: readonly Command[]): string[] => commands.map(({ name }) => name);
    return {
      commands: named(this.#commands.filter(({ forPerson, problem }) => forPerson && problem === undefined)),
      skills: named(this.#commands.filter(({ kind, problem }) => kind === 'skill' && problem === undefined)),
    };
  }

  get listed(): ListedCommand[] {
    return this.#commands
      .filter(({ forPerson, problem }) => forPerson && problem === undefined)
      .map(({ name, kind, description, argumentHint = '', shown }) => ({
        ...{ name, kind, description, argumentHint },
        file: shown,
      }));
  }

  /** The commands and skills that tools list for the model. A command without a description is for people only. */
  get listings(): { skills: readonly string[]; commands: readonly string[] } {
    const usable = this.#commands.filter(({ forModel }) => forModel);
    return {
      skills: listedCommands(usable.filter(({ kind }) => kind === 'skill')),
      commands: listedCommands(usable.filter(({ kind, isDescribed }) => kind === 'command' && isDescribed)),
    };
  }

  has(name: string): boolean {
    return this.#find(name, () => true) !== undefined;
  }

  async useByPerson({ name, args }: Called, signal: AbortSignal): Promise<ContentBlock[]> {
    const isForPerson = ({ forPerson }: Command): boolean => forPerson;
    const command = this.#find(name, isForPerson);
    const forModel = command ? undefined : this.#find(name, () => true);
    if (forModel) {
      throw new ToolFailure(`/${name} is for the model only: ${forModel.shown} has user-invocable.`, {
        advice: 'Ask for it in words.',
      });
    }
    if (!command) throw this.#unknown(name, isForPerson, 'command');
    const [firstLine = ''] = args.split('\n'); // the rest may have been piped in, and is untrusted
    const content = await this.#expand(
      command,
      { typed: args, mentioned: findImports(firstLine), by: 'person' },
      signal,
    );
    if (command.model !== undefined && command.model !== 'inherit') await this.#useModel(command, command.model);
    return [{ type: 'text', text: `What the ${command.kind} /${command.name} says:` }, ...content];
  }

  async useByModel({ kind, name, args }: WantedCommand, signal: AbortSignal): Promise<UsedCommand> {
    const isOfKind = (command: Command): boolean => command.kind === kind;
    // Only by the full name and with the tool of its kind, since rules match those and no short names.
    const command = this.#commands.find((one) => isOfKind(one) && one.name === name);
    if (!command) throw this.#unknown(name, (one) => isOfKind(one) && one.forModel, kind);
    if (!command.forModel && command.problem === undefined) {
      throw new ToolFailure(
        `The ${command.kind} "${command.name}" is for people only: ${command.shown} has disable-model-invocation.`,
        { advice: `Ask the user to type /${command.name}.`, kind: 'permission_denied' },
      );
    }
    const content = await this.#expand(command, { typed: args, mentioned: [], by: 'model' }, signal);
    return { name: command.name, content, ...(command.kind === 'skill' && { folder: command.folder }) };
  }

  async #expand(
    command: Command,
    { typed, mentioned, by }: { typed: string; mentioned: readonly string[]; by: 'person' | 'model' },
    signal: AbortSignal,
  ): Promise<ContentBlock[]> {
    if (command.problem !== undefined) throw new ToolFailure(command.problem);
    const { root, home, run, sessionId, allowReading } = this.#options;
    const isTrusted = command.source !== 'project' || this.#options.isTrusted();
    await this.#grant(command, { isTrusted, by });
    // Skills of a project are inside it; a skill that links outside must not make that folder readable.
    if (command.plugin) allowReading(command.plugin.root);
    else if (command.kind === 'skill' && command.source === 'user') allowReading(command.folder);
    const facts = { SKILL_DIR: command.folder, PROJECT_DIR: root, SESSION_ID: sessionId() };
    const content = await expandCommand(command, {
      args: {
        whole: typed,
        words: splitWords(typed),
        names: command.argumentNames,
        facts: {
          ...command.plugin?.variables,
          ...Object.fromEntries(
            Object.entries(facts).flatMap(([name, value]) =>
              ['HELVE', 'CLAUDE'].map((who) => [`${who}_${name}`, value]),
            ),
          ),
        },
      },
      mentioned,
      root,
      home,
      isTrusted,
      run,
      signal,
    });
    if (command.kind !== 'skill') return content;
    return [{ type: 'text', text: `Files that it names are in ${command.folder}` }, ...content];
  }

  /**
   * Restrictions apply from any source; permissions only from a trusted one. The model must not grant itself a broad one
   * by calling a command: that takes a person who types its name.
   */
  async #grant(
    { name, shown, allowedTools, disallowedTools }: Command,
    { isTrusted, by }: { isTrusted: boolean; by: 'person' | 'model' },
  ): Promise<void> {
    const { grant, withoutBroad, notify, isManagedOnly } = this.#options;
    const wrong = grant({ deny: disallowedTools }, shown);
    if (wrong.length > 0)
      throw new ToolFailure(`/${name} was not used: ${wrong.join(' ')}`, { advice: 'Correct disallowed-tools.' });
    if (allowedTools.length === 0) return;
    if (isManagedOnly()) notify(`allowed-tools of ${shown} are not used: only managed rules may allow calls here.`);
    else if (!isTrusted) notify(`allowed-tools of ${shown} are not used: this folder is not trusted.`);
    else {
      const all = { rules: allowedTools, broad: [] };
      const { rules, broad } = by === 'person' ? all : await withoutBroad(allowedTools);
      for (const problem of grant({ allow: rules }, shown)) notify(problem);
      if (broad.length === 0 || this.#told.has(name)) return;
      this.#told.add(name);
      notify(
        `The model called /${name}, so these allowed-tools of ${shown} do not apply: ${broad.join(', ')}. They apply if you type /${name}; other calls are decided as usual.`,
      );
    }
  }

  async #useModel({ name, source, shown }: Command, model: string): Promise<void> {
    const { useModel, notify, isTrusted } = this.#options;
    if (!useModel) return notify(`The model of ${shown} is not used: it can't be changed here.`);
    if (source === 'project' && !isTrusted()) {
      return notify(`The model of ${shown} is not used: this folder is not trusted.`);
    }
    try {
      await useModel(model);
    } catch (cause) {
      const why = messageOf(cause);
      throw new ToolFailure(`/${name} was not used: it wants the model "${model}" (${shown}). ${why}`, { cause });
    }
  }

  /** Finds a command by its name, or by the last part of the name if that is unique. */
  #find(name: string, isWanted: (command: Command) => boolean): Command | undefined {
    const wanted = this.#commands.filter(isWanted);
    const exact = wanted.find((command) => command.name === name);
    const endings = wanted.filter((command) => command.name.endsWith(`:${name}`));
    return exact ?? (endings.length === 1 ? endings[0] : undefined);
  }

  #unknown(name: string, isWanted: (command: Command) => boolean, kind: string): ToolFailure {
    const names = this.#commands.filter(isWanted).map((command) => command.name);
    const slash = kind === 'command' ? '/' : '';
    const [nearest] = nearestWords(name, names);
    const shown = names.slice(0, MAX_NAMED).map((known) => slash + known);
    const list =
      shown.length === 0
        ? 'There are none here.'
        : `There are: ${shown.join(', ')}${names.length > MAX_NAMED ? ', …' : ''}.`;
    const problem = `There is no ${kind} ${slash}${name}.`;
    return new ToolFailure(`${problem} ${nearest === undefined ? list : `Did you mean ${slash}${nearest}?`}`, {
      problem,
    });
  }
}
