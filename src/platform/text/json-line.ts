// C1 controls, marks that turn the reading direction, and separators of lines, which JSON allows in the raw.
const steering = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * The value as JSON on one line. Characters that could steer the terminal of a person who looks at it are escaped, which
 * means the same to every reader of JSON.
 */
export const jsonLine = (value: unknown): string => escaped(JSON.stringify(value));

/** The same on several lines, indented. */
export const jsonText = (value: unknown): string => escaped(JSON.stringify(value, null, 2));

const escaped = (json: string): string =>
  json.replace(steering, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
