import { permissionModes } from '../../contract/permission.js';
import { ruleLines } from '../../settings/describe-rules.js';
import { editablePlace, editSettings, rememberRule } from '../../settings/edit-file.js';
import { EditRefused } from '../../settings/edit-json.js';
import { oneLine } from '../../settings/settings-problem.js';
import { parseCall } from '../console/parse-call.js';
import type { CommandAnswer, CommandSession, TerminalCommand } from '../contract.js';
import { firstWord, fitted, problem, text, words } from './answers.js';

const lists = ['allow', 'ask', 'deny'] as const;
const USAGE = '/permissions, /permissions allow|ask|deny RULE, remove RULE, mode MODE, or explain CALL';

export const permissions: TerminalCommand = {
  name: 'permissions',
  aliases: ['allowed-tools'],
  description: 'the rules and the mode; add a rule, or explain a call',
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
    try {
      return list ? await add(rest, list, session) : await remove(rest, session);
    } catch (error) {
      if (error instanceof EditRefused) return problem(error.message);
      throw error;
    }
  },
};

function overview({ settings, mode, additionalDirectories }: CommandSession): CommandAnswer {
  const rules = ruleLines(settings);
  const last = [
    `Mode: ${mode}`,
    ...additionalDirectories.map((folder) => `Part of the project: ${oneLine(folder)}`),
    ...(settings.trust.pending.length === 0 ? [] : ['This folder is not trusted: its allow rules are ignored.']),
    '/help permissions says how to change them.',
  ];
  return fitted(rules.length === 0 ? ['No rules.'] : rules, { last });
}

function setMode(wanted: string, session: CommandSession): CommandAnswer {
  const mode = permissionModes.find((known) => known.toLowerCase() === wanted.toLowerCase());
  if (!mode) return problem(`There is no mode "${wanted}". There are: ${permissionModes.join(', ')}.`);
  const refused = session.setMode(mode);
  return refused === undefined ? text(`The mode is ${mode}.`) : problem(refused);
}

const optionsOf = ({ root, env, home }: CommandSession) => ({ root, env, ...(home !== undefined && { home }) });

async function add(rule: string, list: (typeof lists)[number], session: CommandSession): Promise<CommandAnswer> {
  await rememberRule(rule, list, optionsOf(session));
  return text(`${list}  ${rule}  was written to ${editablePlace('local', optionsOf(session)).file}.`);
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
  return fitted((await session.explain(parsed.tool, parsed.input)).split('\n'));
}
