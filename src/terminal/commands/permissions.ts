import { permissionModes } from '../../contract/permission.js';
import { orderedRules, ruleCounts } from '../../settings/describe-rules.js';
import { editablePlace, editSettings, rememberRule } from '../../settings/edit-file.js';
import { EditRefused } from '../../settings/edit-json.js';
import { oneLine } from '../../settings/settings-problem.js';
import { parseCall } from '../console/parse-call.js';
import type { CommandAnswer, CommandSession, TerminalCommand } from '../contract.js';
import { firstWord, problem, text, words } from './answers.js';
import { modeWords } from './status.js';

const lists = ['allow', 'ask', 'deny'] as const;
const USAGE = '/permissions, /permissions allow|ask|deny RULE, remove RULE, mode MODE, or explain CALL';

export const permissions: TerminalCommand = {
  name: 'permissions',
  aliases: ['allowed-tools'],
  group: 'Settings',
  echo: 'answered',
  description: 'show and change permission rules and the mode',
  argumentHint: '[allow|ask|deny|remove RULE | mode MODE | explain CALL]',

  complete(typed, session) {
    const [verb, rest] = firstWord(typed);
    if (!/\s/.test(typed)) return words(verb, [...lists, 'remove', 'mode', 'explain']);
    if (verb === 'mode') return words(rest, permissionModes).map(({ value }) => ({ value: `mode ${value}` }));
    if (verb !== 'remove') return [];
    const rules = session.settings.rules.map((rule) => rule.text);
    return words(rest, rules).map(({ value }) => ({ value: `remove ${value}` }));
  },

  async run(args, session) {
    await session.refresh(); // a rule may have been saved a moment ago
    const [verb, rest] = firstWord(args);
    if (verb === '') return overview(session);
    if (verb === 'mode') return setMode(rest, session);
    if (verb === 'explain') return await explain(rest, session);
    const list = lists.find((known) => known === verb);
    if (rest === '' || (!list && verb !== 'remove')) return problem(`That is not understood. Use ${USAGE}.`);
    return await refusing(async () => (list ? await add(rest, list, session) : await remove(rest, session)));
  },
};

/** The rules by file, to remove one, and what else can be done. */
function overview(session: CommandSession): CommandAnswer {
  const { settings, mode, additionalDirectories } = session;
  const rules = orderedRules(settings).map((rule, index) => ({
    value: `rule ${index}`,
    label: `${rule.list.padEnd(5)} ${oneLine(rule.text)}`,
    ...(!ruleCounts(rule) && { description: 'does not count: the folder is not trusted' }),
    group: oneLine(rule.source.file),
  }));
  const byFile = [...Map.groupBy(rules, ({ group }) => group).values()].flat();
  const actions = [
    ...lists.map((list) => ({ value: `add ${list}`, label: `Add a rule to ${list}`, description: aboutList[list] })),
    { value: 'mode', label: 'Change the mode', description: modeWords[mode] },
    { value: 'explain', label: 'Explain a call', description: 'how it would be decided, and why' },
  ].map((action) => ({ ...action, group: rules.length === 0 ? 'No rules yet' : 'More' }));
  const folders = additionalDirectories.map((folder) => `Also part of the project: ${oneLine(folder)}`);
  return {
    type: 'choose',
    title: rules.length === 0 ? 'Permissions' : 'Permission rules; Enter removes one',
    text: folders.join('\n'),
    items: [...byFile, ...actions],
    async choose(value) {
      const [what, which = ''] = value.split(' ');
      const rule = what === 'rule' ? orderedRules(settings)[Number(which)] : undefined;
      if (rule) return confirmRemoval(rule.text, session);
      const list = lists.find((one) => one === which);
      if (list) return askForRule(list, session);
      return what === 'mode' ? chooseMode(session) : askForCall(session);
    },
  };
}

const aboutList = {
  allow: 'calls that run without a question',
  ask: 'calls that always need a question',
  deny: 'calls that are refused',
} as const;

function confirmRemoval(rule: string, session: CommandSession): CommandAnswer {
  return {
    type: 'choose',
    title: `Remove ${oneLine(rule)}?`,
    items: [
      { value: 'yes', label: 'Yes, remove it' },
      { value: 'no', label: 'No, keep it' },
    ],
    choose: async (value) => (value === 'yes' ? await refusing(() => remove(rule, session)) : overview(session)),
  };
}

const askForRule = (list: (typeof lists)[number], session: CommandSession): CommandAnswer => ({
  type: 'ask',
  title: `A rule to ${list}, as in Bash(npm test:*), Read(docs/**) or WebFetch(domain:example.com)`,
  verb: 'save',
  answer: async (typed) => await refusing(() => add(typed.trim(), list, session)),
});

const askForCall = (session: CommandSession): CommandAnswer => ({
  type: 'ask',
  title: 'Which call? As in: Bash npm test',
  verb: 'explain',
  answer: async (typed) => await explain(typed.trim(), session),
});

const chooseMode = (session: CommandSession): CommandAnswer => ({
  type: 'choose',
  title: 'Which mode?',
  items: permissionModes.map((value) => ({
    value,
    label: modeWords[value].split(':')[0] ?? value,
    description: modeWords[value].slice(modeWords[value].indexOf(':') + 2),
    isCurrent: value === session.mode,
  })),
  choose: async (value) => setMode(value, session),
});

/** A rule that can't be written is a message, not a failure of the command. */
async function refusing(change: () => Promise<CommandAnswer>): Promise<CommandAnswer> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof EditRefused) return problem(error.message);
    throw error;
  }
}

function setMode(wanted: string, session: CommandSession): CommandAnswer {
  const mode = permissionModes.find((known) => known.toLowerCase() === wanted.toLowerCase());
  if (!mode) return problem(`There is no mode "${wanted}". There are: ${permissionModes.join(', ')}.`);
  const refused = session.setMode(mode);
  return refused === undefined ? text(`The mode is ${modeWords[mode].split(':')[0]}.`) : problem(refused);
}

const optionsOf = ({ root, env, home }: CommandSession) => ({ root, env, ...(home !== undefined && { home }) });

async function add(rule: string, list: (typeof lists)[number], session: CommandSession): Promise<CommandAnswer> {
  await rememberRule(rule, list, optionsOf(session));
  return text(`The rule ${list} ${rule} was written to ${editablePlace('local', optionsOf(session)).file}.`);
}

/** Removes it only from files that Helve writes; the user edits the others. */
async function remove(rule: string, session: CommandSession): Promise<CommandAnswer> {
  const written = session.settings.entries.filter(
    ({ key, value }) => lists.some((list) => key === `permissions.${list}`) && value === rule,
  );
  if (written.length === 0) return problem(`No settings file has the rule ${rule}. /permissions lists all rules.`);
  const done: string[] = [];
  const left: string[] = [];
  for (const { key, origin } of written) {
    const scope = (['local', 'project', 'user'] as const).find((one) => one === origin.kind);
    const place = scope && editablePlace(scope, optionsOf(session));
    if (!scope || place?.file !== origin.file) {
      left.push(origin.file);
      continue;
    }
    const rest = session.settings.entries
      .filter((entry) => entry.key === key && entry.origin.file === origin.file && entry.value !== rule)
      .map(({ value }) => value);
    await editSettings(scope, { path: key.split('.'), value: rest.length > 0 ? rest : undefined }, optionsOf(session));
    done.push(origin.file);
  }
  const stays = left.length === 0 ? '' : ` It stays in ${left.join(', ')}, which helve does not change.`;
  if (done.length === 0) return problem(`The rule was not removed.${stays}`);
  return text(`${rule} was removed from ${done.join(', ')}.${stays}`);
}

/** The call is typed as in the console: `Bash npm test`, or with its input as JSON. */
async function explain(call: string, session: CommandSession): Promise<CommandAnswer> {
  if (call === '')
    return problem('Which call? Use /permissions explain TOOL and its input, as in: explain Bash npm test');
  const parsed = parseCall(call, session.tools);
  if ('problem' in parsed) return problem(parsed.problem);
  return { type: 'explained', text: await session.explain(parsed.tool, parsed.input) };
}
