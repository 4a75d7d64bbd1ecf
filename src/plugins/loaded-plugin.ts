// A plugin, reduced to the parts that Helve has.
import type { ConfiguredHook } from '../hooks/schema.js';
import type { Manifest, PluginFormat } from './manifest.js';
import type { UnusedPart } from './plugin-problem.js';
import type { PluginVariables } from './plugin-variables.js';
import type { UserOption } from './user-options.js';

export interface PluginFile {
  /** Without the prefix of the plugin. */
  name: string;
  /** Absolute. */
  path: string;
}

export interface PluginCommand extends PluginFile {
  kind: 'skill' | 'command';
  /** Instead of the text of the file: for commands that are written in the manifest or in another format. */
  text?: string;
}

export interface LoadedPlugin {
  /** `NAME@MARKETPLACE`, or the name alone. */
  id: string;
  /** The prefix of its commands, skills and agents. */
  name: string;
  format: PluginFormat;
  version?: string;
  description: string;
  /** Its folder. */
  root: string;
  /** The folder that it may keep data in. */
  data: string;
  commands: readonly PluginCommand[];
  agents: readonly PluginFile[];
  outputStyles: readonly PluginFile[];
  hooks: readonly ConfiguredHook[];
  /** MCP servers by their full names, with the variables of the plugin filled in. */
  servers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Texts that the model gets with the system prompt; absolute. */
  contextFiles: readonly string[];
  /** Deny rules. */
  deny: readonly string[];
  /** Ids or names of other plugins. */
  dependencies: readonly string[];
  options: readonly UserOption[];
  /** Relative paths of hooks and servers that are looked up in the project, and by which part: they may run its files. */
  projectFiles: ReadonlyArray<{ by: string; path: string }>;
  /** Required options without a value. */
  missing: readonly UserOption[];
  variables: PluginVariables;
  unused: readonly UnusedPart[];
}

/** What the readers of parts need. */
export interface PluginFacts {
  manifest: Manifest;
  root: string;
  variables: PluginVariables;
  /** The keys of values that are secret. */
  secretNames: readonly string[];
  /** For messages: the plugin's id. */
  id: string;
  unused(part: string, reason: string): void;
  /** Reports a path that a hook or a server would look up in the project. */
  looksInProject(by: string, path: string): void;
}
