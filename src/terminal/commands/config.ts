import { efforts } from '../../contract/model.js';
import { describeSettings, settingValues } from '../../settings/describe.js';
import { describeEntry, labelOf } from '../../settings/describe-entry.js';
import { type EditableScope, editablePlace, editSettings } from '../../settings/edit-file.js';
import { EditRefused } from '../../settings/edit-json.js';
import { findSetting, typedValue } from '../../settings/find-setting.js';
import { settings as knownSettings, settingNames } from '../../settings/schema.js';
import type { CommandAnswer, CommandSession, TerminalCommand } from '../contract.js';
import { firstWord, fitted, problem, text, words } from './answers.js';
import { setEffort } from './effort.js';

const usual = ['model', 'theme', 'editorMode', 'permissions.defaultMode'];
const ofTheScreen = /^(?:theme|editorMode|statusLine|keys\..*)$/; // read once, at startup

export const config: TerminalCommand = {
  name: 'config',
  aliases: ['settings'],
  group: 'Settings',
  echo: 'answered',
  description: 'show settings, or set one',
  argumentHint: '[list | key [value] | unset key] [--project | --local]',
  complete: (typed) => (/\s/.test(typed) ? [] : words(typed, ['list', 'unset', ...settingNames])),

  async run(args, session) {
    await session.refresh(); // a setting may just have been changed
    const scope = /(?:^|\s)--(user|project|local)(?=\s|$)/.exec(args)?.[1];
    const [key, value] = firstWord(args.replace(/(?:^|\s)--(?:user|project|local)(?=\s|$)/, ' '));
    if (key === '') return pick(session);
    if (key === 'list') return overview(session);
    const target = (['user', 'project', 'local'] as const).find((one) => one === scope) ?? 'user';
    try {
      if (key === 'unset') return await change(value, undefined, target, session);
      return value === '' ? show(key, session) : await change(key, value, target, session);
    } catch (error) {
      if (error instanceof EditRefused) return problem(error.message);
      throw error;
    }
  },
};

/** All settings with a single value, and their current values. */
function pick(session: CommandSession): CommandAnswer {
  const { settings } = session;
  const names = settingNames.filter((key) => knownSettings[key].shape === 'one' && !key.startsWith('keys.'));
  const setTo = (key: string): string | undefined => {
    const entry = settings.entries.findLast((one) => one.key === key && one.ignored === undefined);
    return entry && describeEntry(entry).replace(/^[^=]*= /, '');
  };
  // Changed settings come first, then the popular ones.
  const rankOf = (key: string): number => (setTo(key) !== undefined ? 0 : usual.includes(key) ? 1 : 2);
  return {
    type: 'choose',
    title: 'Your settings; /config list shows all that is set',
    items: names
      .map((key) => ({
        value: key,
        description: setTo(key) ?? withoutMarks(knownSettings[key].about),
        isCurrent: false,
      }))
      .toSorted((one, other) => rankOf(one.value) - rankOf(other.value)),
    choose: async (key) => askFor(key, session),
  };
}

/** Descriptions are Markdown, for the pages in docs. */
const withoutMarks = (about: string): string => about.replaceAll('`', '');

/** Asks for a new value, chosen from a list or typed. */
function askFor(key: string, session: CommandSession): CommandAnswer {
  const name = settingNames.find((one) => one === key);
  const values = name && settingValues(name);
  const title = `${key}: ${name ? withoutMarks(knownSettings[name].about) : ''}`;
  const set = async (value: string): Promise<CommandAnswer> =>
    await change(key, value.trim() === '' ? undefined : value.trim(), 'user', session);
  if (!values) return { type: 'ask', title: `${title} Leave it empty to unset it.`, answer: refusing(set) };
  const items = [...values.map((value) => ({ value })), { value: '', label: 'not set' }];
  return { type: 'choose', title, items, choose: refusing(set) };
}

const refusing =
  (set: (value: string) => Promise<CommandAnswer>) =>
  async (value: string): Promise<CommandAnswer> => {
    try {
      return await set(value);
    } catch (error) {
      if (error instanceof EditRefused) return problem(error.message);
      throw error;
    }
  };

function overview({ settings }: CommandSession): CommandAnswer {
  const counted = settings.entries.filter(({ ignored }) => ignored === undefined).map(describeEntry);
  const others = settings.entries.length - counted.length;
  const last = [
    ...(others > 0 ? [`${others} more have no effect: helve config list says why.`] : []),
    '/help config says how to change them.',
  ];
  return fitted(counted.length === 0 ? ['Nothing is set.'] : counted, { last });
}

function show(typed: string, { settings }: CommandSession): CommandAnswer {
  const wanted = findSetting(typed, '/config');
  if ('problem' in wanted) return problem(wanted.problem);
  const about = describeSettings().find(({ key }) => key === wanted.key)?.about ?? '';
  const found = settings.entries.filter(
    (entry) => entry.key === wanted.key && (wanted.name === undefined || entry.name === wanted.name),
  );
  const lines = found.map(
    (entry) => `${describeEntry(entry)}${entry.ignored === undefined ? '' : `: ${entry.ignored}`}`,
  );
  return fitted([`${labelOf(wanted)}: ${withoutMarks(about)}`, ...(lines.length === 0 ? ['It is not set.'] : lines)]);
}

async function change(
  typed: string,
  value: string | undefined,
  scope: EditableScope,
  session: CommandSession,
): Promise<CommandAnswer> {
  const { root, env, home } = session;
  const wanted = findSetting(typed, '/config');
  if ('problem' in wanted) return problem(wanted.problem);
  const { key, name } = wanted;
  const given = value === undefined ? undefined : typedValue(key, value);
  const append = given !== undefined && knownSettings[key].shape === 'list' && !Array.isArray(given);
  const options = { root, env, ...(home !== undefined && { home }) };
  const path = [...key.split('.'), ...(name === undefined ? [] : [name])];
  const changed = await editSettings(scope, { path, value: given, append }, options);
  const { file } = editablePlace(scope, options);
  if (value === undefined)
    return text(changed ? `${typed} was removed from ${file}.` : `${typed} is not set in ${file}.`);
  const isShownNow = key === 'theme' && typeof given === 'string';
  if (isShownNow) session.themes.use(given);
  const needsTrust = scope !== 'user' && knownSettings[key].loosens?.(given);
  return text(
    changed ? `${typed} was set in ${file}.` : `${typed} already has this value in ${file}.`,
    ...(needsTrust ? ['It takes effect once the folder is trusted: /trust'] : []),
    ...(ofTheScreen.test(key) && !isShownNow ? ['It takes effect at the next start.'] : []),
    ...(key === 'effort' ? await applyEffort(given, session) : []),
    ...(key === 'model' ? ['It is used from the next conversation on; /model changes this one.'] : []),
  );
}

/** The running conversation uses it too. */
async function applyEffort(value: unknown, session: CommandSession): Promise<string[]> {
  const level = efforts.find((known) => known === value);
  if (session.model === undefined || level === undefined) return [];
  const answer = await setEffort(level, session);
  return answer.type === 'text' || answer.type === 'problem' ? answer.text.split('\n') : [];
}
