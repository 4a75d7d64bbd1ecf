// Completions in the editor: commands after a slash, files after an @, paths on Tab.
import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from '@earendil-works/pi-tui';
import { visible } from '../../platform/text/visible.js';
import type { Choice } from '../contract.js';
import { completePath } from './complete-path.js';
import type { FileIndex } from './file-index.js';
import { rankNames } from './rank-names.js';

const MAX_FILES = 20;
const MAX_OTHERS = 20;
const MAX_COMMANDS = 30;

export interface CompletionSources {
  files: Pick<FileIndex, 'find' | 'ready' | 'size'>;
  cwd(): string;
  home?: string | undefined;
  /** All commands that can follow a slash. */
  commands(): Promise<readonly CompletedCommand[]>;
  /** Other names that can follow an @, such as resources of MCP servers. Does not wait for servers. */
  mentions?(): Promise<readonly Choice[]>;
  /** Completes the whole line if it is not a prompt, as in the console; undefined if it is. */
  line?(text: string): Promise<LineChoices | undefined> | undefined;
}

export interface CompletedCommand {
  name: string;
  description: string;
  argumentHint?: string | undefined;
  complete?(typed: string): Promise<readonly Choice[]> | readonly Choice[];
}

/** Completions for the end of a line, and how much of the line they replace. */
export interface LineChoices {
  typed: string;
  choices: readonly Choice[];
}

export class PromptCompletion implements AutocompleteProvider {
  readonly triggerCharacters = ['@', '-'];
  readonly #sources: CompletionSources;

  constructor(sources: CompletionSources) {
    this.#sources = sources;
  }

  async getSuggestions(
    lines: string[],
    cursorLine: number,
    cursorCol: number,
    { force = false, signal }: { signal: AbortSignal; force?: boolean },
  ): Promise<AutocompleteSuggestions | null> {
    const before = (lines[cursorLine] ?? '').slice(0, cursorCol);
    const inLine = cursorLine === 0 ? await this.#sources.line?.(before) : undefined;
    if (inLine) return suggestions(inLine.typed, inLine.choices);
    const [, mention] = /(?:^|[\s(])(@(?:"[^"]*|[^\s"]*))$/.exec(before) ?? [];
    if (mention !== undefined) return await this.#files(mention, signal);
    if (cursorLine === 0 && /^\s*\//.test(before)) {
      const command = await this.#command(before.trimStart());
      if (command || !force) return command;
    }
    return force ? await this.#path(before) : null;
  }

  applyCompletion(lines: string[], cursorLine: number, cursorCol: number, item: AutocompleteItem, prefix: string) {
    const line = lines[cursorLine] ?? '';
    const before = line.slice(0, cursorCol);
    // The list may be one key press old: then the typed text is kept.
    const isStale = prefix === '' ? /\S$/.test(before) : !before.endsWith(prefix);
    if (isStale) return { lines, cursorLine, cursorCol };
    const start = before.slice(0, cursorCol - prefix.length);
    // Adds a space after a complete item; a folder, or a name that needs a value, can be continued.
    const end = /[/=]$|\/"$/.test(item.value) || /^\s/.test(line.slice(cursorCol)) ? '' : ' ';
    const filled = `${start}${item.value}${end}`;
    return {
      lines: lines.with(cursorLine, filled + line.slice(cursorCol)),
      cursorLine,
      cursorCol: filled.length,
    };
  }

  /** Tab completes everywhere except in empty space. */
  shouldTriggerFileCompletion(lines: string[], cursorLine: number, cursorCol: number): boolean {
    return (lines[cursorLine] ?? '').slice(0, cursorCol).trim() !== '';
  }

  async #files(mention: string, signal: AbortSignal): Promise<AutocompleteSuggestions | null> {
    const { files, cwd, home, mentions } = this.#sources;
    const query = mention.slice(1).replace(/^"/, '');
    const isOutside = /^(?:~|\/|\.\.?\/)/.test(query);
    if (!isOutside && files.size === 0) await Promise.race([files.ready(), aborted(signal)]);
    const paths = isOutside
      ? (await completePath(query, { cwd: cwd(), home })).map(({ value }) => value)
      : files.find(query, MAX_FILES);
    const others = rankNames(query, (await mentions?.()) ?? [], ({ value }) => value).slice(0, MAX_OTHERS);
    const named = others.map((choice) => ({ ...choice, label: choice.value, value: `@${choice.value}` }));
    const found = paths.map((path) => ({ value: mentioned(path), label: path }));
    // If a server's name was typed, its resources come first; otherwise files do.
    const isServer = others.some(({ value }) => query.startsWith(value.slice(0, value.indexOf(':') + 1)));
    return suggestions(mention, isServer ? [...named, ...found] : [...found, ...named]);
  }

  async #command(typed: string): Promise<AutocompleteSuggestions | null> {
    const commands = await this.#sources.commands();
    const [, name = '', args] = /^\/(\S*)(?:\s+([\s\S]*))?$/.exec(typed) ?? [];
    if (args === undefined && !/\s$/.test(typed)) {
      const found = rankNames(name, commands, (command) => command.name).slice(0, MAX_COMMANDS);
      return suggestions(
        `/${name}`,
        found.map((command) => ({
          value: `/${command.name}`,
          description: command.description,
        })),
      );
    }
    const rest = args ?? '';
    const choices = await commands.find((command) => command.name === name)?.complete?.(rest);
    if (!choices || choices.length === 0) return null;
    return suggestions(rest, choices);
  }

  async #path(before: string): Promise<AutocompleteSuggestions | null> {
    const [typed = ''] = /(?<![^\s"'=])[^\s"'=]*$/.exec(before) ?? [];
    const { cwd, home } = this.#sources;
    return suggestions(typed, await completePath(typed, { cwd: cwd(), home }));
  }
}

const mentioned = (path: string): string => (/\s/.test(path) ? `@"${path}"` : `@${path}`);

function suggestions(prefix: string, choices: readonly Choice[]): AutocompleteSuggestions | null {
  if (choices.length === 0) return null;
  const items = choices.map(({ value, label = value, description }) => ({
    value,
    label: visible(label).replaceAll(/\s+/g, ' '),
    ...(description !== undefined && { description: visible(description).replaceAll(/\s+/g, ' ') }),
  }));
  return { prefix, items };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
