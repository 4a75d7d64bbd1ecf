// What permission rules, hooks and replays need to know of a built-in tool beside its effects. Each tool declares it in
// its own file; `toolTable()` in tools/ collects it. Nothing outside of tools/ treats a tool by its name.

/** What the specifier of a rule is about, as the path in `Read(src/**)` and the command in `Bash(npm test)`. */
export type RuleFamily =
  /** A path that is read, and one that is changed. */
  | 'read'
  | 'edit'
  | 'command'
  | 'domain'
  /** A search on the web. It has no specifier: the query leaves the machine, whichever host answers. */
  | 'search'
  /** A type of child agent. */
  | 'agent'
  /** A skill, and a slash command, each with or without arguments. */
  | 'skill'
  | 'slash';

export interface ToolTraits {
  family?: RuleFamily;
  /** The fields of the input that the specifier is about. */
  subject?: readonly string[];
  /** The fields that a rule may name, as in `Bash(timeout:5000)`. Tools that work on files share theirs. Default: any. */
  fields?: readonly string[];
  /**
   * What a rule with the bare name covers beside calls of the tool. `family`: every access of its kind to a file, by any
   * tool or command. `commands`: changes by commands, and by tools that work as this one.
   */
  bareRule?: 'family' | 'commands';
  /** Names that rules and hooks written for other agents, or for older versions, have for it. */
  olderNames?: readonly string[];
  /** Tools whose work it does too: hooks that match one of these names run for it as well. */
  worksAs?: readonly string[];
  /** The model has it only where edits are made in this style. */
  editStyle?: 'patch';
  /** Its results hold what commands have printed. */
  printsCommands?: true;
  /** It asks MCP servers, of which a replay has no copy. */
  asksServers?: true;
}

/** The traits of all tools, by name. */
export interface ToolTable {
  readonly traits: ReadonlyMap<string, ToolTraits>;
  /** Names of tools that are built in or known from other agents: spelt as they are meant. */
  readonly familiarNames: ReadonlySet<string>;
}
