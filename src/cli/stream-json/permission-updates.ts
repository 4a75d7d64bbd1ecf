// Rules in the format of hosts: what a question offers to save, and what a host wants to save.

import { type PermissionMode, permissionModes } from '../../contract/permission.js';
import { isObject } from '../../platform/is-object.js';
import { clause } from '../../platform/text/clause.js';
import type { Line } from './control-channel.js';

const settingsFiles = { localSettings: 'local', projectSettings: 'project', userSettings: 'user' } as const;

type SettingsFile = keyof typeof settingsFiles;

export type RememberIn = 'session' | (typeof settingsFiles)[SettingsFile];

/** The parsed updates of a host's answer. */
export interface WantedUpdates {
  rules: ReadonlyMap<string, RememberIn>;
  mode?: PermissionMode;
  /** What was not done, as messages for the host. */
  problems: readonly string[];
}

/** The rules of a question as updates: rules about files apply to the session, the others to the project. */
export function suggestedUpdates(rules: readonly string[]): Line[] {
  const grouped = Map.groupBy(rules, (rule) => (/^(?:Read|Edit)\(/.test(rule) ? 'session' : 'localSettings'));
  return [...grouped].map(([destination, some]) => ({
    type: 'addRules',
    rules: some.map(asFields),
    behavior: 'allow',
    destination,
  }));
}

/** Never more than the question offered: a rule that it did not name is not saved. */
export function wantedUpdates(updates: unknown, offered: readonly string[]): WantedUpdates {
  const rules = new Map<string, RememberIn>();
  const problems: string[] = [];
  let mode: PermissionMode | undefined;
  for (const update of Array.isArray(updates) ? updates : []) {
    if (!isObject(update)) {
      problems.push('One of updatedPermissions is not an object, so it was left out.');
    } else if (update['type'] === 'setMode') {
      mode = permissionModes.find((known) => known === update['mode']);
      if (!mode) problems.push(`There is no permission mode ${JSON.stringify(update['mode'])}, so it was not changed.`);
    } else if (update['type'] === 'addRules' && update['behavior'] === 'allow') {
      const place = placeOf(update['destination']);
      const named = Array.isArray(update['rules']) ? update['rules'].map(asText) : [];
      for (const rule of named) {
        if (place && rule !== undefined && offered.includes(rule)) rules.set(rule, place);
        else problems.push(notRemembered(rule, place, offered));
      }
    } else {
      const what = `${String(update['type'])}${update['behavior'] === undefined ? '' : ` (${String(update['behavior'])})`}`;
      problems.push(`updatedPermissions of the type ${what} are not supported, so it was left out.`);
    }
  }
  return { rules, problems, ...(mode && { mode }) };
}

function notRemembered(rule: string | undefined, place: RememberIn | undefined, offered: readonly string[]): string {
  if (rule === undefined) return 'A rule of updatedPermissions has no toolName, so it was left out.';
  if (!place) {
    return `The rule ${rule} was not remembered: its destination must be session, ${Object.keys(settingsFiles).join(', ')}.`;
  }
  const why = offered.length > 0 ? `the question offers only ${offered.join(', ')}` : 'nothing of this can be';
  return `The rule ${rule} was not remembered: ${clause(why)}.`;
}

function asFields(rule: string): Line {
  const open = rule.indexOf('(');
  return open < 0 ? { toolName: rule } : { toolName: rule.slice(0, open), ruleContent: rule.slice(open + 1, -1) };
}

function asText(rule: unknown): string | undefined {
  if (!isObject(rule) || typeof rule['toolName'] !== 'string') return undefined;
  const { toolName, ruleContent } = rule;
  return typeof ruleContent === 'string' ? `${toolName}(${ruleContent})` : toolName;
}

function placeOf(destination: unknown): RememberIn | undefined {
  if (destination === 'session') return 'session';
  const file = Object.entries(settingsFiles).find(([name]) => name === destination);
  return file?.[1];
}
