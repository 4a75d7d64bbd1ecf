// Checks answers that programs give in place of a person. An allow counts only if nothing else in the answer contradicts it.
import { shown } from '../hooks/plain-value.js';
import { strayVerdicts } from '../hooks/plain-verdicts.js';
import { isObject } from '../platform/is-object.js';

const OWN_FIELDS: ReadonlySet<string> = new Set(['behavior', 'updatedInput', 'updatedPermissions', 'allowRules']);
const INPUT_FIELD = /input$|^(tool)?(args|arguments|params|parameters)$/;

/**
 * Throws if an answer with the behavior "allow" has a changed input that can't be used, or also denies: the program does
 * not want to run the call as it is. `who` begins the message.
 */
export function demandClearYes(answer: object, input: unknown, who: string): void {
  const { updatedInput } = answer as { updatedInput?: unknown };
  if (updatedInput !== undefined && updatedInput !== null && !isPlainObject(updatedInput)) {
    throw new TypeError(
      `${who} answered "allow" with an "updatedInput" that must be an object, but was ${shown(updatedInput)}`,
    );
  }
  const changed = Object.entries(answer).find(
    ([field, value]) => !OWN_FIELDS.has(field) && value !== undefined && value !== null && isInputField(field, input),
  );
  if (changed) {
    const [field] = changed;
    throw new TypeError(
      `${who} answered "allow" with "${field}", which is not known. A changed input is an object in "updatedInput"`,
    );
  }
  const { allowRules: _, interrupt, ...rest } = answer as { allowRules?: unknown; interrupt?: unknown };
  const refusal = strayVerdicts(rest, new Set(['behavior'])).find(({ refuses }) => refuses);
  const no = refusal ?? (interrupt === true ? { field: 'interrupt', value: true } : undefined);
  if (no) {
    throw new TypeError(`${who} answered "allow", but also ${shown(no.value)} in "${no.field}", so that is not a yes`);
  }
}

/** Whether a field must mean another input: by its name, or since the input has a field of that name. */
const isInputField = (field: string, input: unknown): boolean =>
  INPUT_FIELD.test(field.replace(/[^A-Za-z]/g, '').toLowerCase()) || (isObject(input) && Object.hasOwn(input, field));

/** Not a Map or another object whose content is not in its fields. */
const isPlainObject = (value: unknown): boolean =>
  isObject(value) && Object.prototype.toString.call(value) === '[object Object]';
