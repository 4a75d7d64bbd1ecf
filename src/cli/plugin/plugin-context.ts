import { dataFolderOf, homeFolder } from '../../platform/files/paths.js';
import { shownLine } from '../../platform/text/shown-line.js';
import { nearestWords } from '../../platform/text/similar-text.js';
import { visible } from '../../platform/text/visible.js';
import type { InstallOptions } from '../../plugins/install.js';
import { PluginProblem } from '../../plugins/plugin-problem.js';
import { findRecord, idOf, type PluginRecord, type Registry } from '../../plugins/registry.js';
import {
  checkValue,
  effectiveValues,
  type OptionValue,
  type OptionValues,
  type UserOption,
} from '../../plugins/user-options.js';
import { settingsOptions } from '../args.js';
import { readSettings } from '../read-settings.js';
import { UsageProblem } from '../usage-problem.js';
import { answerTo } from './answer-to.js';

/** What the commands for plugins need: the data folder, the settings, the environment. */
export async function installOptions(flags: { settings?: string | undefined }): Promise<InstallOptions> {
  const { current } = await readSettings(settingsOptions(flags), { asksForTrust: true });
  return {
    dataFolder: dataFolderOf(settingsOptions()),
    settings: current,
    workspace: process.cwd(),
    env: process.env,
    home: homeFolder(),
  };
}

export const isAtTerminal = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true;

export async function saysYes(question: string): Promise<boolean> {
  return /^y(?:es)?$/i.test((await answerTo(`${question} [y/N] `)).trim());
}

/** Throws a usage error that names the nearest plugin. */
export function recordNamed(registry: Registry, name: string): PluginRecord {
  const record = findRecord(registry, name);
  if (record) return record;
  const [nearest] = nearestWords(name, registry.plugins.map(idOf));
  const hint = nearest === undefined ? 'To see all: helve plugin list.' : `Did you mean ${nearest}?`;
  throw new UsageProblem(`There is no plugin "${visible(name)}". ${hint}`);
}

/** Values of `--set KEY=VALUE`, by key. */
export function givenValues(texts: readonly string[] = []): ReadonlyMap<string, string> {
  return new Map(
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw new UsageProblem(`--set takes KEY=VALUE, but was "${visible(text.split('=', 1)[0] ?? '')}…".`);
      return [text.slice(0, at), text.slice(at + 1)] as const;
    }),
  );
}

/** What is to be stored, which may be nothing new, and the keys of required values that are still missing. */
export interface SettledValues {
  values?: OptionValues;
  missing: readonly string[];
}

/** Checks given values, and asks for required ones that are missing. Stores nothing. */
export async function settleValues(
  id: string,
  options: readonly UserOption[],
  given: ReadonlyMap<string, string>,
  stored: Readonly<Record<string, unknown>>,
): Promise<SettledValues> {
  const values: Record<string, OptionValue> = {};
  const keep = (option: UserOption, text: string): void => {
    const checked = checkValue(option, text);
    if ('problem' in checked)
      throw new UsageProblem(`The value of ${option.key} ${checked.problem}. Nothing was stored.`);
    values[option.key] = checked.value;
  };
  for (const [key, text] of given) {
    const option = options.find((one) => one.key === key);
    if (!option) {
      const known = options.map((one) => one.key).join(', ');
      throw new UsageProblem(
        `The plugin ${id} asks for no "${visible(key)}".${known === '' ? '' : ` It asks for: ${known}.`}`,
      );
    }
    keep(option, text);
  }
  const { missing } = effectiveValues(options, { ...stored, ...values });
  if (isAtTerminal()) {
    for (const option of missing) {
      const about = [option.title, option.description].filter((text) => text !== '').join(': ');
      const hint = option.sensitive ? ' (not shown)' : '';
      const text = await answerTo(`${shownLine(about)}\n${option.key}${hint} = `, { isHidden: option.sensitive });
      if (text === '')
        throw new PluginProblem(`${id} needs a value for ${option.key}, and got none. Nothing was stored.`);
      keep(option, text);
    }
  }
  const left = effectiveValues(options, { ...stored, ...values }).missing.map(({ key }) => key);
  if (Object.keys(values).length === 0) return { missing: left };
  const known = Object.fromEntries(Object.entries(stored).filter(([key]) => options.some((one) => one.key === key)));
  return { values: { ...(known as Record<string, OptionValue>), ...values }, missing: left }; // checked when it was stored
}

/** What is said about an approved plugin. `name`: as the person has written it, for the command. */
export function approvedText(name: string, missing: readonly string[], verb = 'is'): string {
  if (missing.length === 0) return `${name} ${verb} used from the next session on.`;
  const keys = missing.map((key) => `\`${key}\``).join(', ');
  const set = missing.map((key) => `--set ${key}=…`).join(' ');
  return `${name} was approved, and is held back until ${keys} is set: helve plugin enable ${name} ${set}`;
}
