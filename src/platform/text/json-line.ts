// C1 controls, marks that turn the reading direction, and separators of lines, which JSON allows in the raw.
const steering = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * The value as JSON on one line. Characters that could steer the terminal of a person who looks at it are escaped, which
 * means the same to every reader of JSON.
 */
export const jsonLine = (value: unknown): string =>
  JSON.stringify(value).replace(steering, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
