// Problems with settings, and their messages.
import { UserFacingError } from '../contract/user-facing-error.js';
import { visible } from '../platform/text/visible.js';
import type { Origin } from './locations.js';
import type { TrustReport } from './trust.js';

export interface SettingsProblem {
  /** `fatal`: Helve must not start. `dropped`: this statement does not apply. `warning`: it applies, but needs attention. */
  severity: 'fatal' | 'dropped' | 'warning';
  /** The name of the file in messages. */
  file: string;
  line?: number;
  column?: number;
  /** One line: the position, the problem and why it matters, what to do. */
  message: string;
}

/** Invalid settings could contain rules that refuse something, so nothing runs without them. */
export class SettingsRefused extends UserFacingError {
  readonly problems: readonly SettingsProblem[];

  constructor(problems: readonly SettingsProblem[]) {
    super(problems.map(({ message }) => message).join('\n'));
    this.name = 'SettingsRefused';
    this.problems = problems;
  }
}

export const isFatal = ({ severity }: SettingsProblem): boolean => severity === 'fatal';

export function problemAt(
  { file, line, column }: Pick<Origin, 'file' | 'line' | 'column'>,
  severity: SettingsProblem['severity'],
  sentence: string,
): SettingsProblem {
  const message = oneLine(`${placeOf({ file, line, column })}: ${sentence}`);
  return { severity, file, ...(line !== undefined && { line }), ...(column !== undefined && { column }), message };
}

/** Text of a file for messages: on one line, without control characters. */
export const oneLine = (text: string): string => visible(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');

/** `file:line:column`, as far as known. */
export const placeOf = ({ file, line, column }: Pick<Origin, 'file' | 'line' | 'column'>): string =>
  [file, line, column].filter((part) => part !== undefined).join(':');

/** One sentence about settings of the folder that do not apply; undefined if all apply. */
export function trustNotice({ state, pending }: TrustReport): string | undefined {
  if (pending.length === 0) return undefined;
  const labels = [...new Set(pending.map(({ key, name }) => (name === undefined ? key : `${key}.${name}`)))];
  const named = labels.slice(0, MAX_NAMED).join(', ') + (labels.length > MAX_NAMED ? ', …' : '');
  const why = state === 'changed' ? 'they are new or changed since you trusted it' : 'the folder is not trusted';
  return `Settings of this folder do not count, because ${why}: ${oneLine(named)}. To look at them and trust the folder: helve config trust; for one run: --trust.`;
}

const MAX_NAMED = 5;
