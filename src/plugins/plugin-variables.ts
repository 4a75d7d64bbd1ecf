// The variables of a plugin: `${CLAUDE_PLUGIN_ROOT}`, `${user_config.KEY}`, and those of Gemini.
import { sep } from 'node:path';
import type { PluginFormat } from './manifest.js';
import { type OptionValues, type UserOption, valueText } from './user-options.js';

export interface PluginVariables {
  /** For texts that the model reads: without values that are secret. By name, without `${}`. */
  texts: Readonly<Record<string, string>>;
  /** For entries of MCP servers. */
  entries: Readonly<Record<string, string>>;
  /** The environment of its hooks. */
  env: Readonly<Record<string, string>>;
  /** The environment of its servers, which get values where their entry names them. Gemini passes them by name. */
  serverEnv: Readonly<Record<string, string>>;
  /** Values that must appear in no message. */
  secrets: readonly string[];
}

interface VariableFacts {
  format: PluginFormat;
  root: string;
  data: string;
  workspace: string;
  options: readonly UserOption[];
  values: OptionValues;
}

export function pluginVariables({ format, root, data, workspace, options, values }: VariableFacts): PluginVariables {
  const folders: Record<string, string> = {
    CLAUDE_PLUGIN_ROOT: root,
    CLAUDE_PLUGIN_DATA: data,
    ...(format === 'codex' && { PLUGIN_ROOT: root, PLUGIN_DATA: data }),
  };
  const gemini: Record<string, string> =
    format === 'gemini' ? { extensionPath: root, workspacePath: workspace, '/': sep, pathSeparator: sep } : {};
  const given = options.flatMap((option) => {
    const value = values[option.key];
    return value === undefined ? [] : [{ ...option, text: valueText(value) }];
  });
  const named = (list: typeof given) => Object.fromEntries(list.map(({ key, text }) => [`user_config.${key}`, text]));
  const variables = Object.fromEntries(given.map(({ variable, text }) => [variable, text]));
  return {
    texts: { ...folders, ...gemini, ...named(given.filter(({ sensitive }) => !sensitive)) },
    entries: { ...folders, ...gemini, ...named(given), ...(format === 'gemini' ? variables : {}) },
    env: { ...folders, ...variables },
    serverEnv: { ...folders, ...(format === 'gemini' ? variables : {}) },
    secrets: given.filter(({ sensitive, text }) => sensitive && text !== '').map(({ text }) => text),
  };
}

/** Fills in variables in every text of a value. Inserted text is not scanned again; unknown variables stay. */
export function fillVariables(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/\$\{([\w./]+)\}/g, (written, name: string) =>
      Object.hasOwn(variables, name) ? (variables[name] ?? written) : written,
    );
  }
  if (Array.isArray(value)) return value.map((one) => fillVariables(one, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fillVariables(inner, variables)]));
}
