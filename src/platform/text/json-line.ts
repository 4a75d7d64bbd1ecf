// C1 controls, bidirectional marks and line separators, which JSON allows unescaped.
const steering = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * The value as JSON on one line. Characters that could control a person's terminal are escaped, which is equivalent
 * for every JSON parser.
 */
export const jsonLine = (value: unknown): string => escaped(JSON.stringify(value));

/** The same on several lines, indented. */
export const jsonText = (value: unknown): string => escaped(JSON.stringify(value, null, 2));

const escaped = (json: string): string =>
  json.replace(steering, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
