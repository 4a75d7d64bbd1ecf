// The commands and skills of a session. If there are none, no other code for them is loaded.
import { existsSync } from 'node:fs';
import type { CommandPort, ListedCommand, UsedCommand, WantedCommand } from '../../contract/command.js';
import { ToolFailure } from '../../contract/failure.js';
import type { ContentBlock, UserBlock } from '../../contract/message.js';
import type { ServerPrompt } from '../../mcp/client/listed-offers.js';
import type { RuleLists } from '../../permissions/rule.js';
import { isMcpName } from '../../platform/text/mcp-names.js';
import { projectBoundary } from '../instructions/instruction-files.js';
import type { CommandBook } from './command-book.js';
import { type CommandPlacesOptions, commandPlaces } from './command-places.js';
import type { RunOwnCall } from './expand-command.js';
import type { PluginCommands } from './plugin-commands.js';

export interface CommandsOptions extends CommandPlacesOptions {
  sessionId(): string;
  /** The only skills, by name. Default: all. */
  skills?: readonly string[] | undefined;
  /** Whether a person trusts the project. */
  isTrusted(): boolean;
  mayRead(real: string): boolean;
  /** Sets the lists of the tools for skills and commands. */
  list(listings: { skills: readonly string[]; commands: readonly string[] }): void;
  /** Adds rules that apply until the end of the prompt. */
  grant(lists: RuleLists, by: string): readonly string[];
  /** Which of these allow rules apply if the model has called the command, and which do not, with the reason. */
  withoutBroad(rules: readonly string[]): Promise<{ rules: readonly string[]; broad: readonly string[] }>;
  /** Whether only managed rules may allow calls. */
  isManagedOnly(): boolean;
  allowReading(folder: string): void;
  run: RunOwnCall;
  /** Uses this model until the end of the prompt. Absent if the model can't be changed. */
  useModel?: (name: string) => Promise<void>;
  notify(text: string): void;
  prompts: ServerPrompts;
  /** Commands and skills of plugins. Default: none. */
  plugins?: readonly PluginCommands[];
  /** Why a plugin is not in use, by its name: a sentence. */
  unusedPlugins?: ReadonlyMap<string, string>;
}

/** The prompts of MCP servers. */
export interface ServerPrompts {
  /** The prompts of connected servers. */
  now(): readonly ServerPrompt[];
  /** Waits until there is a prompt of this name, or until each server has connected or failed. */
  waitFor(command: string, signal: AbortSignal): Promise<void>;
  get(prompt: ServerPrompt, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<ContentBlock[]>;
}

/** The prompt for the model, or the reason why it is not sent. */
export type ExpandedPrompt = { prompt: readonly UserBlock[] } | { refused: string };

export class Commands implements CommandPort {
  readonly #options: CommandsOptions;
  #book: Promise<CommandBook | undefined> | undefined;
  #names: { commands: readonly string[]; skills: readonly string[] } = { commands: [], skills: [] };

  constructor(options: CommandsOptions) {
    this.#options = options;
  }

  /** The names that a person can call; the commands include skills. */
  get names(): { commands: readonly string[]; skills: readonly string[] } {
    const fromServers = this.#options.prompts.now().map(({ command }) => command);
    return { ...this.#names, commands: [...this.#names.commands, ...fromServers] };
  }

  /** Finds the commands and skills, once, and sets the lists of the tools. */
  async find(): Promise<void> {
    this.#book ??= this.#load();
    await this.#book;
  }

  /** All commands that a person can call, including prompts of connected MCP servers. */
  async listed(): Promise<ListedCommand[]> {
    await this.find();
    const fromServers = this.#options.prompts.now().map(({ command, description, arguments: wanted }) => ({
      name: command,
      kind: 'prompt' as const,
      description,
      argumentHint: wanted.map(({ name, required }) => (required ? name : `[${name}]`)).join(' '),
    }));
    return [...((await this.#book)?.listed ?? []), ...fromServers];
  }

  async use(wanted: WantedCommand, signal: AbortSignal): Promise<UsedCommand> {
    await this.find();
    const book = await this.#book;
    if (!book) throw new ToolFailure(`There is no ${wanted.kind} "${wanted.name}": there are none here.`);
    return await book.useByModel(wanted, signal);
  }

  /**
   * Appends the text of a command to a prompt that calls it. Other prompts stay unchanged. `beforeUse` may return
   * the reason why the command is not used.
   */
  async expand(
    prompt: readonly UserBlock[],
    signal: AbortSignal,
    beforeUse?: (called: Called) => Promise<string | undefined>,
  ): Promise<ExpandedPrompt> {
    const [first, ...others] = prompt;
    const called = first?.type === 'text' ? calledIn(first.text) : undefined;
    if (!first || !called) return { prompt };
    try {
      await this.find();
      if (!(await this.#book)?.has(called.name) && existsSync(`/${called.name}`)) return { prompt }; // it is a path
      const refused = await beforeUse?.(called);
      if (refused !== undefined) return { refused };
      const content = isMcpName(called.name)
        ? await this.#fromServer(called, signal)
        : await this.#fromFile(called, signal);
      return { prompt: [first, ...content, ...others] };
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      return { refused: error.message };
    }
  }

  async #load(): Promise<CommandBook | undefined> {
    const places = commandPlaces(this.#options);
    if (places.length === 0 && !this.#options.plugins?.some(({ commands }) => commands.length > 0)) return undefined;
    const { CommandBook } = await import('./command-book.js');
    const book = await CommandBook.open(places, { ...this.#options, boundary: projectBoundary(this.#options) });
    this.#names = book.names;
    this.#options.list(book.listings);
    return book;
  }

  async #fromFile(called: Called, signal: AbortSignal): Promise<ContentBlock[]> {
    const book = await this.#book;
    const [plugin = ''] = called.name.split(':', 1);
    const unused = called.name.includes(':') ? this.#options.unusedPlugins?.get(plugin) : undefined;
    if (unused !== undefined && !book?.has(called.name)) {
      throw new ToolFailure(`There is no command /${called.name} in this session. ${unused}`);
    }
    if (book) return await book.useByPerson(called, signal);
    throw new ToolFailure(`There is no command /${called.name}: there are none here.`, {
      advice: `Write one to .helve/commands/${called.name}.md, or begin the prompt with another character.`,
    });
  }

  async #fromServer({ name, args }: Called, signal: AbortSignal): Promise<ContentBlock[]> {
    const { prompts } = this.#options;
    await prompts.waitFor(name, signal);
    const prompt = prompts.now().find(({ command }) => command === name);
    if (!prompt) {
      const known = prompts.now().map(({ command }) => `/${command}`);
      throw new ToolFailure(
        `There is no command /${name}. ${known.length > 0 ? `MCP servers offer: ${known.join(', ')}.` : 'No MCP server here offers prompts.'}`,
      );
    }
    const { promptArguments } = await import('./server-prompt.js');
    return await prompts.get(prompt, promptArguments(prompt, args), signal);
  }
}

export interface Called {
  name: string;
  args: string;
}

/** Parses `/name arguments`. A longer path, a comment or a pattern at the beginning of a prompt is not a command. */
export function calledIn(text: string): Called | undefined {
  const [, name, args = ''] = /^\/([\p{L}\p{N}_][\p{L}\p{N}_.:-]*)(?:\s+([\s\S]*))?$/u.exec(text.trim()) ?? [];
  return name === undefined ? undefined : { name, args: args.trim() };
}
