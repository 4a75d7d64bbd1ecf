// Texts about calls whose result is missing because the process ended: for the model, and for the person.
import { isObject } from '../../platform/is-object.js';

export const interruptedText = (tool: string): string =>
  `${tool} was interrupted when the program ended; its outcome is unknown. Check before you repeat it.`;

/** A call whose server works on. `task`: the id of the background task. */
export const continuedText = (tool: string, task: string): string =>
  `${tool} had no result yet when the program ended, but its server works on it as a task. It continues in the background with ID: ${task}. Do not repeat the call.`;

export const notBegunText = (tool: string): string =>
  `The program ended before ${tool} was recorded as begun, so it most likely did not run, or only read. Send the call again if it is still needed; where it must not run twice, check first.`;

/** The same for the person. A call that only reads is not recorded as begun, so that it may have run. */
export const INTERRUPTED_PROBLEM =
  'Helve was ended while this ran; it may or may not have taken effect: check, or ask the model to check';
export const NOT_BEGUN_PROBLEM = 'no result: Helve was ended before this could change anything';
export const DAMAGED_PROBLEM = "its result is lost, because the session's file is damaged";

const MAX_NAMED_CHARS = 60;

/** The tool with its command or file, on one line. */
function calledName({ tool, input }: { tool: string; input: unknown }): string {
  const fields = isObject(input) ? [input['command'], input['file_path'], input['url'], input['description']] : [];
  const subject = fields
    .find((value) => typeof value === 'string')
    ?.replaceAll(/\s+/g, ' ')
    .trim();
  if (!subject) return tool;
  return `${tool}: ${subject.length > MAX_NAMED_CHARS ? `${subject.slice(0, MAX_NAMED_CHARS)}…` : subject}`;
}

export const DAMAGED_RESULT =
  'The call ended, but its result is lost, because the file of this session is damaged there. Check before you repeat it.';

const MAX_NAMED = 10;

/** What the person has to know about calls that had started, where the calls themselves are not shown. */
export function interruptionNotes(calls: ReadonlyArray<{ tool: string; input: unknown }>): string[] {
  if (calls.length === 0) return [];
  const names = calls.slice(-MAX_NAMED).map(calledName);
  const more = calls.length - names.length;
  const which = `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const [what, it] = calls.length === 1 ? ['a call', 'It'] : [`${calls.length} calls`, 'They'];
  return [
    `Helve was ended while ${what} ran (${which}). ${it} may or may not have taken effect: check, or ask the model to check. The model knows about it.`,
  ];
}
