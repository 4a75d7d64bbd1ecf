// Reads the existing settings files. Loaded only if there is one, since it loads the parser and the schemas.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { oddMatcher } from '../hooks/odd-matchers.js';
import type { ConfiguredHook } from '../hooks/schema.js';
import { parseRule } from '../permissions/parse-rule.js';
import type { Rule, RuleProblem } from '../permissions/rule.js';
import { codeOf } from '../platform/error-code.js';
import { folderNames, homeFolder, realName } from '../platform/files/paths.js';
import { messageOf } from '../platform/message-of.js';
import { nearestWords } from '../platform/text/similar-text.js';
import { toolTable } from '../tools/index.js';
import { type Contribution, checkDocument } from './check.js';
import { type JsonNode, parseDocument } from './document.js';
import type { PlaceOptions, SettingsPlace } from './locations.js';
import { isFatal, oneLine, problemAt, type SettingsProblem } from './settings-problem.js';

const MAX_BYTES = 2 * 1024 * 1024; // far larger than any file written by hand

/** The statements of one file. */
export interface SourceFile {
  place: SettingsPlace;
  contributions: readonly UnderstoodContribution[];
  problems: readonly SettingsProblem[];
  /** The file is broken now: these are its last valid statements, of which only the stricter ones apply. */
  isFromBefore?: true;
}

export interface UnderstoodContribution extends Contribution {
  /** Present for a valid rule. */
  rule?: Rule;
}

export interface ReadSettingsOptions extends PlaceOptions {
  /** The existing tools. If omitted, rules that name unknown tools are not reported. */
  knownTools?: readonly string[];
  /** The same for types of agents, called if a rule names one. */
  knownAgents?: () => readonly string[];
  /** Matchers of hooks that can match no tool are reported too. A session says so itself, once it knows all tools. */
  checkMatchers?: boolean;
}

/** The statements of each file. For a file that is broken now, its last valid restrictions stay in force. */
export function readFiles(
  places: readonly SettingsPlace[],
  options: ReadSettingsOptions,
  before: readonly SourceFile[] = [],
): SourceFile[] {
  return places.map((place) => {
    const last = before.find((one) => one.place.file === place.file && one.place.kind === place.kind);
    const file = readSource(place, options, { isNew: last === undefined });
    return last && file.problems.some(isFatal) ? fromBefore(last, file.problems) : file;
  });
}

function fromBefore({ place, contributions }: SourceFile, problems: readonly SettingsProblem[]): SourceFile {
  const told = problems.filter(isFatal).map((problem) => ({
    ...problem,
    severity: 'dropped' as const,
    message: `${problem.message} Until then, what the file refused before is refused, and nothing else in it counts.`,
  }));
  return { place, contributions, problems: told, isFromBefore: true };
}

function readSource(place: SettingsPlace, options: ReadSettingsOptions, { isNew }: { isNew: boolean }): SourceFile {
  const failed = (line: number | undefined, column: number | undefined, what: string): SourceFile => {
    // A file that can't contain rules may be ignored.
    const consequence = place.only
      ? 'Nothing in it counts. Correct it there.'
      : 'It may hold rules that refuse something, so helve will not start. Correct it there, or move it away.';
    const problem = problemAt({ file: place.file, line, column }, place.only ? 'dropped' : 'fatal', what + consequence);
    return { place, contributions: [], problems: [problem] };
  };
  let text: string;
  try {
    text = place.text ?? readText(place.path ?? '');
  } catch (error) {
    return failed(undefined, undefined, `can't be read (${reason(error)}). `);
  }
  // An editor may be about to write it: an empty file that had content before counts as broken.
  if (!isNew && text.trim() === '') return failed(undefined, undefined, 'is empty now. ');
  const parsed = parseDocument(text);
  if ('problem' in parsed) return failed(parsed.at.line, parsed.at.column, `not valid JSON: ${parsed.problem}. `);
  return readNode(parsed.node, place, options);
}

/** The same for text that is already parsed. */
export function readNode(node: JsonNode, place: SettingsPlace, options: ReadSettingsOptions): SourceFile {
  const { contributions, problems } = checkDocument(node, place);
  return withRules({ place, contributions, problems }, options);
}

function readText(path: string): string {
  // Non-blocking: opening a pipe could block forever.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error('it is not a file');
    if (stats.size > MAX_BYTES) throw new Error(`it has ${stats.size} bytes, and ${MAX_BYTES} are the limit`);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

function reason(error: unknown): string {
  if (error instanceof TypeError) return 'it is not text in UTF-8';
  const code = codeOf(error);
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES' || code === 'EPERM') return 'permission is missing';
  return messageOf(error);
}

function withRules({ place, contributions, problems }: SourceFile, options: ReadSettingsOptions): SourceFile {
  const { home = homeFolder(), knownTools, knownAgents } = options;
  const anchors = {
    source: folderNames(place.anchor),
    project: folderNames(options.root),
    home: home === undefined ? [] : folderNames(home),
    realName,
  };
  const tools = toolTable();
  const ruleProblems: RuleProblem[] = [];
  const understood = contributions.map((contribution) => {
    const list = ruleList(contribution.key);
    if (!list) return contribution;
    const { file, line } = contribution.origin;
    const source = { file, ...(line !== undefined && { line }) };
    const { rule, problem } = parseRule(contribution.value, {
      list,
      source,
      anchors,
      tools,
      ...(knownTools && { knownTools }),
      ...(knownAgents && { knownAgents }),
    });
    if (problem) ruleProblems.push(problem);
    return { ...contribution, ...(rule && { rule }) };
  });
  const told = ruleProblems.map(({ severity, message, source }) => ({
    severity,
    message: oneLine(message),
    ...source,
  }));
  return {
    place,
    contributions: understood,
    problems: [
      ...problems,
      ...told,
      ...unknownSwitches(contributions, knownTools),
      ...(options.checkMatchers ? oddMatchers(contributions, knownTools ?? []) : []),
    ],
  };
}

function oddMatchers(contributions: SourceFile['contributions'], toolNames: readonly string[]): SettingsProblem[] {
  return contributions.flatMap(({ key, value, origin }) => {
    if (key !== 'hooks') return [];
    const { event, matcher } = value as Pick<ConfiguredHook, 'event' | 'matcher'>; // what the check of hooks made
    const odd = oddMatcher(event, matcher, { toolNames, tools: toolTable() });
    return odd === undefined
      ? []
      : [problemAt(origin, 'warning', `A hook for ${event} may never run: the matcher ${odd}`)];
  });
}

/** Switches of unknown tools. Names of tools of programs and servers mostly contain a `_`. */
function unknownSwitches(
  contributions: SourceFile['contributions'],
  knownTools: readonly string[] | undefined,
): SettingsProblem[] {
  if (!knownTools) return [];
  return contributions.flatMap(({ key, name = '', origin }) => {
    if (key !== 'tools' || name.includes('_') || knownTools.includes(name)) return [];
    const [meant] = nearestWords(name, knownTools);
    const next = meant === undefined ? 'Check the name, or remove it.' : `Did you mean "${meant}"?`;
    const severity = meant === undefined ? 'warning' : 'dropped';
    return [
      problemAt(origin, severity, `"tools.${name}" names a tool that does not exist, so it does nothing. ${next}`),
    ];
  });
}

function ruleList(key: string): 'allow' | 'ask' | 'deny' | undefined {
  if (key === 'permissions.allow') return 'allow';
  if (key === 'permissions.ask') return 'ask';
  return key === 'permissions.deny' ? 'deny' : undefined;
}
