// Values that a plugin asks its user for: `userConfig` of Claude Code, `settings` of Gemini.
import { join } from 'node:path';
import { readPrivateFile, writePrivateFile } from '../platform/files/private-file.js';
import { isObject } from '../platform/is-object.js';
import { shownLine } from '../platform/text/shown-line.js';
import { pluginFolders } from './plugin-folders.js';
import { PluginProblem, type UnusedPart } from './plugin-problem.js';

const types = ['string', 'number', 'boolean', 'directory', 'file'] as const;

export interface UserOption {
  key: string;
  type: (typeof types)[number];
  title: string;
  description: string;
  required: boolean;
  sensitive: boolean;
  multiple: boolean;
  default?: OptionValue;
  min?: number;
  max?: number;
  /** The variable that it is passed in; default: `CLAUDE_PLUGIN_OPTION_KEY`. */
  variable: string;
}

export type OptionValue = string | number | boolean | readonly string[];
export type OptionValues = Readonly<Record<string, OptionValue>>;

const KEY = /^[A-Za-z_]\w{0,63}$/;

export function readUserOptions(value: unknown): { options: UserOption[]; unused: UnusedPart[] } {
  const options: UserOption[] = [];
  const unused: UnusedPart[] = [];
  if (value === undefined) return { options, unused };
  if (!isObject(value)) return { options, unused: [{ part: 'userConfig', reason: 'it is not an object' }] };
  for (const [key, entry] of Object.entries(value)) {
    const read = readOption(key, entry);
    if (typeof read === 'string') unused.push({ part: `userConfig.${key.slice(0, 64)}`, reason: read });
    else options.push(read);
  }
  return { options, unused };
}

function readOption(key: string, entry: unknown): UserOption | string {
  if (!KEY.test(key)) return 'its name must have letters, digits and "_"';
  if (!isObject(entry)) return 'it is not an object';
  const type = types.find((known) => known === (entry['type'] ?? 'string'));
  if (!type) return `its type must be one of ${types.join(', ')}`;
  const { min, max } = entry;
  const option: UserOption = {
    key,
    type,
    title: textOf(entry['title']) || key,
    description: textOf(entry['description']),
    required: entry['required'] === true,
    // A value that is marked in an unclear way is treated as a secret.
    sensitive: entry['sensitive'] !== undefined && entry['sensitive'] !== false,
    multiple: entry['multiple'] === true,
    ...(typeof min === 'number' && { min }),
    ...(typeof max === 'number' && { max }),
    variable: `CLAUDE_PLUGIN_OPTION_${key.toUpperCase()}`,
  };
  if (entry['default'] === undefined) return option;
  const standard = checkValue(option, entry['default']);
  return 'problem' in standard ? `its default ${standard.problem}` : { ...option, default: standard.value };
}

/** The value of an option, from text or JSON, or what is wrong with it: a clause that begins with a verb. */
export function checkValue(option: UserOption, given: unknown): { value: OptionValue } | { problem: string } {
  if (option.multiple && option.type === 'string') {
    const list = Array.isArray(given) ? given : typeof given === 'string' ? given.split(',') : undefined;
    if (!list?.every((one) => typeof one === 'string')) return { problem: 'must be a list of texts' };
    return { value: list.map((one) => one.trim()).filter((one) => one !== '') };
  }
  switch (option.type) {
    case 'number': {
      const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
      if (typeof number !== 'number' || !Number.isFinite(number)) return { problem: 'must be a number' };
      if (option.min !== undefined && number < option.min) return { problem: `must not be below ${option.min}` };
      if (option.max !== undefined && number > option.max) return { problem: `must not be above ${option.max}` };
      return { value: number };
    }
    case 'boolean':
      if (given === true || given === 'true') return { value: true };
      if (given === false || given === 'false') return { value: false };
      return { problem: 'must be true or false' };
    default:
      if (typeof given !== 'string' || /\0/.test(given)) return { problem: 'must be a text' };
      if ((option.type === 'directory' || option.type === 'file') && !/^(?:\/|~\/|[A-Za-z]:[\\/])/.test(given)) {
        return { problem: 'must be a full path, or one that begins with ~/' };
      }
      return { value: given };
  }
}

/** The effective values, and the required options that have none. */
export function effectiveValues(
  options: readonly UserOption[],
  stored: Readonly<Record<string, unknown>>,
): { values: OptionValues; missing: readonly UserOption[] } {
  const values: Record<string, OptionValue> = {};
  for (const option of options) {
    const given = Object.hasOwn(stored, option.key) ? checkValue(option, stored[option.key]) : undefined;
    const value = given && 'value' in given ? given.value : option.default;
    if (value !== undefined) values[option.key] = value;
  }
  return { values, missing: options.filter(({ key, required }) => required && values[key] === undefined) };
}

/** As it is put into a text or a variable. */
export const valueText = (value: OptionValue): string => (typeof value === 'object' ? value.join(',') : String(value));

const configFile = (dataFolder: string, id: string): string => join(pluginFolders(dataFolder).config, `${id}.json`);

/** Whose values: the name of their file, and the origin of the plugin, which must be that of the file. */
export interface ValuesOwner {
  key: string;
  origin: string;
}

/** All values are private, whether they are marked as sensitive or not. Those of a plugin from elsewhere are not read. */
export function storedValues(dataFolder: string, { key: id, origin }: ValuesOwner): Readonly<Record<string, unknown>> {
  const file = configFile(dataFolder, id);
  try {
    const text = readPrivateFile(file);
    const value: unknown = text === undefined ? {} : JSON.parse(text);
    if (!isObject(value) || value['origin'] !== origin) return {};
    return isObject(value['values']) ? value['values'] : {};
  } catch (error) {
    throw new PluginProblem(
      `${file} can't be relied on, so the plugin ${id} has no values. Set them again with --set.`,
      {
        cause: error,
      },
    );
  }
}

export async function storeValues(
  dataFolder: string,
  { key, origin }: ValuesOwner,
  values: OptionValues,
): Promise<void> {
  await writePrivateFile(configFile(dataFolder, key), `${JSON.stringify({ origin, values }, null, 2)}\n`);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? shownLine(value.trim(), 500) : '');
