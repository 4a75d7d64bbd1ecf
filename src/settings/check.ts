// Parses one file's text into statements: each part is checked separately, so that a mistake loses only that part.
// A part that could refuse something is never lost silently.
import { readHooks } from '../hooks/schema.js';
import { nearestWords } from '../platform/text/similar-text.js';
import { type JsonNode, type Member, nodeAt, type Position, plainValue } from './document.js';
import type { Origin, SettingsPlace } from './locations.js';
import { notEnforced, passedOver, withoutEffect } from './other-keys.js';
import { isSettingName, type SettingName, sectionNames, settingNames, settings } from './schema.js';
import { problemAt, type SettingsProblem } from './settings-problem.js';

const MAX_SHOWN_CHARS = 80;

/** One statement of a file. */
export interface Contribution {
  key: SettingName;
  /** Which entry of a map, or for which event: a variable, a server, `PreToolUse`. */
  name?: string;
  value: unknown;
  origin: Origin;
  /** The written value is invalid, and this value replaces it. */
  isBroken?: true;
}

export interface Checked {
  contributions: Contribution[];
  problems: SettingsProblem[];
}

export function checkDocument(node: JsonNode, place: SettingsPlace): Checked {
  const findings =
    node.type === 'object'
      ? checkSection('', node.members, place)
      : [refused(node, place, 'the whole must be an object in braces, so nothing in it is understood')];
  return {
    contributions: withoutRepeated(findings.flatMap((finding) => ('key' in finding ? [finding] : []))),
    problems: findings.flatMap((finding) => ('severity' in finding ? [finding] : [])),
  };
}

type Finding = Contribution | SettingsProblem;

/** Of what is written twice, the last counts, as programs read JSON; but all elements of lists, and what is strictest. */
function withoutRepeated(contributions: readonly Contribution[]): Contribution[] {
  const last = new Map(contributions.map((one) => [`${one.key}\0${one.name ?? ''}`, one]));
  return contributions.filter((one) => {
    const { shape, strictest } = settings[one.key];
    if (shape === 'list' || shape === 'hooks' || (strictest !== undefined && one.value === strictest)) return true;
    return last.get(`${one.key}\0${one.name ?? ''}`) === one;
  });
}

function checkSection(prefix: string, members: readonly Member[], place: SettingsPlace): Finding[] {
  const seen = new Set<string>();
  return members.flatMap((member) => {
    const full = prefix === '' ? member.name : `${prefix}.${member.name}`;
    if (place.only && !place.only.includes(full)) return [];
    const isRepeated = seen.has(full);
    seen.add(full);
    const notice = `"${full}" is written twice in the same place. Write it once.`;
    return [...(isRepeated ? [warning(member.at, place, notice)] : []), ...checkMember(full, member, place)];
  });
}

function checkMember(full: string, member: Member, place: SettingsPlace): Finding[] {
  const { node, at } = member;
  if (isSettingName(full)) return checkSetting(full, node, place);
  if (sectionNames.includes(full)) {
    if (node.type === 'object') return checkSection(full, node.members, place);
    return [refused(node, place, `"${full}" must be an object in braces, but was ${shown(node)}`)];
  }
  if (full === 'allow' || full === 'ask' || full === 'deny') {
    const notice = `"${full}" belongs under "permissions". It counts all the same. Move it there.`;
    return [warning(at, place, notice), ...checkSetting(`permissions.${full}`, node, place)];
  }
  if (passedOver.has(full)) return [];
  if (withoutEffect.has(full)) {
    return [warning(at, place, `"${full}" does nothing: helve's sandbox has no such setting. Remove it.`)];
  }
  const instead = Object.hasOwn(notEnforced, full) ? notEnforced[full] : undefined;
  if (instead === undefined) return [unknownName(full, member, place)];
  const sentence = `"${full}" would restrict something, and helve does not have it, so it does nothing. ${instead}`;
  return [warning(at, place, sentence)];
}

function unknownName(full: string, { node, at }: Member, place: SettingsPlace): Finding {
  const nearest = nearestName(full);
  const meant = nearest === undefined ? 'Remove it.' : `Did you mean "${nearest}"?`;
  const what = `"${full}" is not a setting that helve knows`;
  if (nearest !== undefined && couldRefuse(nearest, node)) return refused(at, place, what, meant);
  return warning(at, place, `${what}, so it does nothing. ${meant}`);
}

/** The position of an element of a setting, for messages, and the entry it belongs to. */
interface Part {
  label: string;
  name?: string;
}

function checkSetting(key: SettingName, node: JsonNode, place: SettingsPlace): Finding[] {
  const { shape, from } = settings[key];
  if (from && !from.includes(place.kind)) {
    const who = from.length === 1 ? 'managed settings' : 'your own and managed settings';
    return [dropped(node, place, `"${key}" counts in ${who} only, so here it does nothing. Remove it.`)];
  }
  if (shape === 'one') return checkValue(key, node, place, { label: key });
  if (shape === 'list') return checkList(key, node, place, { label: key });
  if (node.type !== 'object') return broken(key, node, place, { label: key }, 'must be an object in braces');
  if (shape === 'hooks') return node.members.flatMap((member) => checkHooks(member, place));
  return node.members.flatMap(({ name, node: entry }) => {
    const part = { label: `${key}.${name}`, name };
    if (name !== '__proto__') return checkValue(key, entry, place, part);
    return [dropped(entry, place, `"${part.label}" can't be a name, so it is left out. Remove it.`)];
  });
}

/** The hooks of one event, each group separately, so that each hook and each problem has its position. */
function checkHooks({ name: event, node }: Member, place: SettingsPlace): Finding[] {
  const groups = node.type === 'list' ? node.items : [];
  if (groups.length === 0)
    return problemsOf(readHooks({ [event]: plainValue(node) }, hookOrigin), { event, node }, place);
  const findings = groups.flatMap((group, index): Finding[] => {
    const reading = readHooks({ [event]: [plainValue(group)] }, hookOrigin);
    const hooks = reading.configured.map(({ matcher, hook }) => ({
      key: 'hooks' as const,
      name: event,
      value: { event, matcher, hook },
      origin: originOf(group, place),
    }));
    return [...problemsOf(reading, { event, node, group, index }, place), ...hooks];
  });
  // A problem with the event is reported for each of its groups.
  const told = new Set<string>();
  return findings.filter((finding) => {
    if ('key' in finding) return true;
    const isNew = !told.has(finding.message);
    told.add(finding.message);
    return isNew;
  });
}

const hookOrigin = { source: '', trusted: false }; // who speaks and whether that counts is decided when sources meet

function problemsOf(
  { problems }: ReturnType<typeof readHooks>,
  { event, node, group, index = 0 }: { event: string; node: JsonNode; group?: JsonNode; index?: number },
  place: SettingsPlace,
): SettingsProblem[] {
  const first = `hooks.${event}[0]`;
  return problems.map(({ path, message, fatal }) => {
    const inside = group && path.startsWith(first) ? path.slice(first.length) : undefined;
    const steps = [...(inside ?? '').matchAll(/\[(\d+)\]|\.(\w+)/g)].map(([, at, name]) => name ?? Number(at));
    const label = inside === undefined ? path : `hooks.${event}[${index}]${inside}`;
    const [what = '', hint] = `"${label}" ${message.replace(/\.$/, '')}`.split(/\. (?=Did you mean )/);
    const fix = hint === undefined ? 'Correct or remove it.' : `${hint} Correct or remove it.`;
    const at = inside === undefined || !group ? node : nodeAt(group, steps);
    return fatal ? refused(at, place, what, fix) : warning(at, place, `${what}. ${fix}`);
  });
}

function checkList(key: SettingName, node: JsonNode, place: SettingsPlace, part: Part): Finding[] {
  if (node.type !== 'list') return broken(key, node, place, part, 'must be a list in brackets');
  return node.items.flatMap((item, index) =>
    checkValue(key, item, place, { ...part, label: `${part.label}[${index}]` }),
  );
}

function checkValue(key: SettingName, node: JsonNode, place: SettingsPlace, part: Part): Finding[] {
  const parsed = settings[key].schema.safeParse(plainValue(node));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const { path = [], message = 'is not understood' } = issue ?? {};
    const inner = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
    const wrong = nodeAt(node, path);
    const choices = issue?.code === 'invalid_value' ? issue.values.filter((value) => typeof value === 'string') : [];
    return broken(key, wrong, place, { ...part, label: part.label + inner }, message, choices);
  }
  const isProject = place.kind === 'project' || place.kind === 'local';
  if (isProject && key === 'permissions.defaultMode' && parsed.data === 'bypassPermissions') {
    const way = 'Use --permission-mode bypassPermissions.';
    return [dropped(node, place, `a project can't switch permissions off, so "${key}" is left out. ${way}`)];
  }
  const { name } = part;
  return [{ key, ...(name !== undefined && { name }), value: parsed.data, origin: originOf(node, place) }];
}

function broken(
  key: SettingName,
  node: JsonNode,
  place: SettingsPlace,
  { label, name }: Part,
  must: string,
  choices: readonly string[] = [],
): Finding[] {
  const { broken: consequence, isSecret } = settings[key];
  const given = node.type === 'value' && typeof node.value === 'string' ? node.value : '';
  const [meant] = nearestWords(given, choices);
  const fix = meant === undefined ? 'Correct or remove it.' : `Did you mean "${meant}"?`;
  const what = `"${label}" ${must}${isSecret ? '' : `, but was ${shown(node)}`}`;
  if (consequence === 'refuse') return [refused(node, place, what, fix)];
  if (consequence === undefined) return [dropped(node, place, `${what}, so it is left out. ${fix}`)];
  const { as: value } = consequence;
  return [
    dropped(node, place, `${what}, so it counts as ${JSON.stringify(value)}. ${fix}`),
    { key, ...(name !== undefined && { name }), value, origin: originOf(node, place), isBroken: true },
  ];
}

function refused(at: Position, place: SettingsPlace, what: string, fix = 'Correct or remove it.'): SettingsProblem {
  const sentence = `${what}, so what it refuses could get by, and helve will not start. ${fix}`;
  return problemAt(originOf(at, place), 'fatal', sentence);
}

const dropped = (at: Position, place: SettingsPlace, sentence: string): SettingsProblem =>
  problemAt(originOf(at, place), 'dropped', sentence);

const warning = (at: Position, place: SettingsPlace, sentence: string): SettingsProblem =>
  problemAt(originOf(at, place), 'warning', sentence);

const originOf = ({ line, column }: Position, { kind, file }: SettingsPlace): Origin => ({ kind, file, line, column });

/** The setting that may have been meant, among those of the same section, whose name may be misspelt too. */
export function nearestName(full: string): string | undefined {
  const dot = full.lastIndexOf('.');
  const section = dot < 0 ? undefined : full.slice(0, dot);
  const isKnown = section === undefined || sectionNames.includes(section);
  const meant = isKnown ? section : nearestWords(section, sectionNames)[0];
  if (!isKnown && meant === undefined) return undefined;
  const prefix = meant === undefined ? '' : `${meant}.`;
  const siblings = [...settingNames, ...sectionNames]
    .filter((name) => name.startsWith(prefix) && !name.slice(prefix.length).includes('.'))
    .map((name) => name.slice(prefix.length));
  const [nearest] = nearestWords(full.slice(dot + 1), siblings);
  return nearest === undefined ? undefined : prefix + nearest;
}

/** Whether the part would refuse something if it had the intended name. */
function couldRefuse(meant: string, node: JsonNode): boolean {
  if (isSettingName(meant)) return settings[meant].broken === 'refuse' && node.type === 'list' && node.items.length > 0;
  if (node.type !== 'object') return false;
  return node.members.some(({ name, node: inner }) => {
    const full = `${meant}.${name}`;
    const known = isSettingName(full) || sectionNames.includes(full) ? full : nearestName(full);
    return known !== undefined && couldRefuse(known, inner);
  });
}

function shown(node: JsonNode): string {
  if (node.type !== 'value') return node.type === 'list' ? 'a list' : 'an object';
  const text = JSON.stringify(node.value);
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
}
