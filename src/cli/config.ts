import { createInterface } from 'node:readline/promises';
import { holdsAgents, projectAgentFolders } from '../agent/children/agent-places.js';
import { commandPlaces } from '../agent/commands/command-places.js';
import { projectInstructions } from '../agent/instructions/instruction-files.js';
import { knownNames } from '../agent/known-names.js';
import { dataFolderOf, homeFolder, shortPath } from '../platform/files/paths.js';
import { jsonText } from '../platform/text/json-line.js';
import { visible } from '../platform/text/visible.js';
import { describeItem } from '../settings/covered-item.js';
import { describeSettings, settingsJsonSchema } from '../settings/describe.js';
import { describeEntry, labelOf, withoutSecrets } from '../settings/describe-entry.js';
import { type EditableScope, editablePlace, editSettings } from '../settings/edit-file.js';
import { type Edit, EditRefused } from '../settings/edit-json.js';
import { findSetting, typedValue, type WantedKey } from '../settings/find-setting.js';
import { findFiles, readSettings } from '../settings/load.js';
import { settingsPlaces } from '../settings/locations.js';
import { settings as knownSettings, sectionNames, settingNames } from '../settings/schema.js';
import type { SettingEntry, Settings } from '../settings/settings.js';
import { isFatal, placeOf, trustNotice } from '../settings/settings-problem.js';
import { forgetTrust, trustFolder } from '../settings/trust.js';
import { readArgs, settingsOptions } from './args.js';
import { chooseAction } from './choose-action.js';
import { exitCode } from './exit-codes.js';
import { SetupProblem, UsageProblem } from './usage-problem.js';
import { writeLine } from './write-line.js';

const USAGE = 'Use helve config list, get KEY, set KEY VALUE, unset KEY, path, keys, schema, trust or untrust.';

const flags = {
  json: { type: 'boolean' },
  settings: { type: 'string' },
  trust: { type: 'boolean' },
  user: { type: 'boolean' },
  project: { type: 'boolean' },
  local: { type: 'boolean' },
  yes: { type: 'boolean' },
} as const;

type Flags = ReturnType<typeof readArgs<typeof flags>>['values'];

type Action = (words: readonly string[], values: Flags) => Promise<number>;

const actions: Readonly<Record<string, { words: number; run: Action }>> = {
  list: { words: 0, run: (_, values) => list(values) },
  get: { words: 1, run: ([key = ''], values) => get(key, values) },
  set: { words: 2, run: ([key = '', value = ''], values) => set(key, value, values) },
  unset: { words: 1, run: ([key = ''], values) => unset(key, values) },
  path: { words: 0, run: (_, values) => paths(values) },
  keys: { words: 0, run: (_, values) => keys(values) },
  schema: { words: 0, run: () => schema() },
  trust: { words: 0, run: (_, values) => trust(values) },
  untrust: { words: 0, run: () => untrust() },
};

/** Shows and changes settings, and manages trusted folders. */
export async function config(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(argv, flags);
  const [name, ...words] = positionals;
  const action = chooseAction('config', name, actions, USAGE);
  if (words.length !== action.words) {
    throw new UsageProblem(
      `helve config ${name} takes ${action.words === 1 ? '1 argument' : `${action.words} arguments`}, but there are ${words.length}. ${USAGE}`,
    );
  }
  return await action.run(words, values);
}

async function list(values: Flags): Promise<number> {
  const options = settingsOptions(values);
  // So that it reports what a start would report.
  const read = await readSettings({ ...options, ...knownNames(options), checkMatchers: true });
  if (values.json) {
    const { trust: report, problems, files } = read;
    const trusted = { state: report.state, folder: report.folder, by: report.by ?? null, pending: report.pending };
    const answer = { values: read.entries.map(asRow), trust: trusted, problems, files };
    await writeLine(process.stdout, jsonText(answer));
  } else {
    const counted = read.entries.filter(({ ignored }) => ignored === undefined);
    const others = read.entries.filter(({ ignored }) => ignored !== undefined);
    for (const entry of counted) await writeLine(process.stdout, describeEntry(entry));
    if (others.length > 0) await writeLine(process.stdout, 'Without effect:');
    for (const entry of others) await writeLine(process.stdout, `  ${describeEntry(entry)}: ${entry.ignored}`);
    if (read.entries.length === 0)
      await writeLine(process.stdout, 'No settings. helve config path says where they go.');
  }
  return await tell(read);
}

/** Problems go to stderr, so that they don't mix with the output. */
async function tell({ problems, trust: report }: Settings): Promise<number> {
  for (const { message } of problems) await writeLine(process.stderr, `helve: ${visible(message)}`);
  const notice = trustNotice(report);
  if (notice !== undefined) await writeLine(process.stderr, `helve: ${notice}`);
  return problems.some(isFatal) ? exitCode.failed : exitCode.ok;
}

function asRow(entry: SettingEntry) {
  const { kind, file, line = null } = entry.origin;
  return {
    key: labelOf(entry),
    value: withoutSecrets(entry),
    source: kind,
    file,
    line,
    counts: entry.ignored === undefined,
    ignored: entry.ignored ?? null,
  };
}

async function get(text: string, values: Flags): Promise<number> {
  const wanted = sectionNames.includes(text) ? undefined : knownKey(text);
  const read = await readSettings(settingsOptions(values));
  const entries = read.entries.filter(
    ({ key, name, ignored }) =>
      ignored === undefined &&
      (wanted ? key === wanted.key && (wanted.name === undefined || name === wanted.name) : key.startsWith(`${text}.`)),
  );
  const status = await tell(read);
  if (entries.length === 0) {
    await writeLine(process.stderr, `helve: "${visible(text)}" is not set.`);
    return exitCode.failed;
  }
  const value = wanted ? heldValue(wanted, entries) : Object.fromEntries(groupedByKey(entries));
  const answer = values.json
    ? jsonText({ key: text, value, origins: entries.map(({ origin }) => origin) })
    : typeof value === 'string'
      ? visible(value)
      : visible(JSON.stringify(value, null, 2));
  await writeLine(process.stdout, answer);
  return status;
}

function heldValue({ key, name }: WantedKey, entries: readonly SettingEntry[]): unknown {
  const { shape } = knownSettings[key];
  const all = entries.map(({ value }) => value);
  if (shape === 'list' || shape === 'hooks') return all;
  if (shape === 'map' && name === undefined) {
    return Object.fromEntries(entries.map((entry) => [entry.name ?? '', entry.value]));
  }
  return all[0];
}

function groupedByKey(entries: readonly SettingEntry[]): Array<[string, unknown]> {
  const keys = settingNames.filter((key) => entries.some((entry) => entry.key === key));
  return keys.map((key) => [
    key,
    heldValue(
      { key },
      entries.filter((entry) => entry.key === key),
    ),
  ]);
}

/** An unknown setting is a usage error. */
function knownKey(text: string): WantedKey {
  const wanted = findSetting(text);
  if ('problem' in wanted) throw new UsageProblem(wanted.problem);
  return wanted;
}

async function set(text: string, value: string, values: Flags): Promise<number> {
  const { key, name } = knownKey(text);
  const path = [...key.split('.'), ...(name === undefined ? [] : [name])];
  const given = typedValue(key, value);
  const isElement = knownSettings[key].shape === 'list' && !Array.isArray(given);
  const scope = scopeOf(values);
  const changed = await change(scope, { path, value: given, append: isElement });
  await say(scope, changed ? `${text} was set in` : `${text} already has this value in`);
  if (scope !== 'user' && knownSettings[key].loosens?.(given)) {
    await writeLine(process.stderr, 'helve: it takes effect once the folder is trusted: helve config trust.');
  }
  return exitCode.ok;
}

async function unset(text: string, values: Flags): Promise<number> {
  const { key, name } = knownKey(text);
  const scope = scopeOf(values);
  const changed = await change(scope, {
    path: [...key.split('.'), ...(name === undefined ? [] : [name])],
    value: undefined,
  });
  await say(scope, changed ? `${text} was removed from` : `${text} is not set in`);
  return exitCode.ok;
}

function scopeOf(values: Flags): EditableScope {
  const named = (['user', 'project', 'local'] as const).filter((scope) => values[scope]);
  if (named.length > 1) throw new UsageProblem('--user, --project and --local exclude each other. Use one of them.');
  return named[0] ?? 'user';
}

async function change(scope: EditableScope, edit: Edit): Promise<boolean> {
  try {
    return await editSettings(scope, edit, { ...settingsOptions(), ...knownNames(settingsOptions()) });
  } catch (error) {
    if (error instanceof EditRefused) throw new SetupProblem(error.message);
    throw error;
  }
}

async function say(scope: EditableScope, words: string): Promise<void> {
  await writeLine(process.stdout, `${visible(words)} ${editablePlace(scope, settingsOptions()).file}.`);
}

async function paths(values: Flags): Promise<number> {
  const options = settingsOptions(values);
  const found = new Set(findFiles(options).map(({ place }) => place.file));
  const rows = settingsPlaces(options).map(({ kind, file, path }) => ({
    source: kind,
    file,
    path: path ?? null,
    exists: found.has(file),
  }));
  if (values.json) await writeLine(process.stdout, jsonText(rows));
  else {
    for (const { source, file, exists } of rows) {
      await writeLine(process.stdout, `${source.padEnd(8)} ${exists ? '✓' : '–'} ${visible(file)}`);
    }
  }
  return exitCode.ok;
}

/** Lists all settings. */
async function keys({ json }: Flags): Promise<number> {
  const rows = describeSettings();
  if (json) await writeLine(process.stdout, jsonText(rows));
  else for (const { key, about } of rows) await writeLine(process.stdout, `${key}: ${about}`);
  return exitCode.ok;
}

async function schema(): Promise<number> {
  await writeLine(process.stdout, jsonText(settingsJsonSchema()));
  return exitCode.ok;
}

/** Shows everything that trust would enable, and asks. */
async function trust(values: Flags): Promise<number> {
  const read = await readSettings(settingsOptions());
  const { folder, covered, pending, state } = read.trust;
  for (const { message } of read.problems) await writeLine(process.stderr, `helve: ${visible(message)}`);
  if (read.problems.some(isFatal)) return exitCode.failed; // settings that can't be parsed can't be shown
  if (state === 'trusted') {
    await writeLine(process.stdout, `${visible(folder)} is trusted already.`);
    return exitCode.ok;
  }
  const commands = commandPlaces({
    root: folder,
    home: undefined,
    dataFolder: dataFolderOf(settingsOptions()),
    env: {},
  })
    .filter(({ source }) => source === 'project')
    .map((place) => shortPath(folder, place.folder));
  const agents = projectAgentFolders(folder)
    .filter(holdsAgents)
    .map((place) => shortPath(folder, place));
  const instructions = projectInstructions({ root: folder, home: homeFolder() }).map(({ shown }) => shown);
  const isEmpty = covered.length + commands.length + agents.length + instructions.length === 0;
  const what = isEmpty ? 'has nothing that needs trust today.' : 'has these settings, which need trust:';
  await writeLine(process.stdout, `${visible(folder)} ${what}`);
  for (const item of covered) {
    const change = pending.find((one) => one.key === item.key && one.name === item.name && one.value === item.value);
    await writeLine(
      process.stdout,
      `  ${describeItem(item)}${item.file === undefined ? '' : `  (${placeOf({ file: item.file, line: item.line })})`}${state === 'changed' && change ? ` (${change.change})` : ''}`,
    );
  }
  if (commands.length > 0) {
    await writeLine(
      process.stdout,
      `  commands and skills, with what they run and allow, now and later: ${commands.join(', ')}`,
    );
  }
  if (agents.length > 0) {
    await writeLine(process.stdout, `  agents, now and later: ${agents.join(', ')}`);
  }
  if (instructions.length > 0) {
    await writeLine(process.stdout, `  instructions for the model, now and later: ${visible(instructions.join(', '))}`);
  }
  if (!values.yes && !(await saysYes())) {
    await writeLine(process.stdout, 'Nothing was changed.');
    return exitCode.failed;
  }
  await trustFolder(folder, covered, { dataFolder: dataFolderOf(settingsOptions()) });
  await writeLine(process.stdout, `${visible(folder)} is now trusted. Helve asks again when these settings change.`);
  return exitCode.ok;
}

async function saysYes(): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new UsageProblem(
      'There is no terminal to ask on. To trust the folder with what is listed above: helve config trust --yes.',
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(?:es)?$/i.test((await terminal.question('Trust it? [y/N] ')).trim());
  } finally {
    terminal.close();
  }
}

async function untrust(): Promise<number> {
  const { root } = settingsOptions();
  const was = await forgetTrust(root, { dataFolder: dataFolderOf(settingsOptions()) });
  await writeLine(process.stdout, was ? `${visible(root)} is no longer trusted.` : `${visible(root)} was not trusted.`);
  return exitCode.ok;
}
