// Texts of risks stay short enough to be read in a question, whatever a command contains.
const MAX_NAMES = 5;
const MAX_NAME_CHARS = 200;

/** The first names, and how many there are besides. */
export function fewNames(names: readonly string[]): string {
  const shown = names.length > MAX_NAMES + 1 ? names.slice(0, MAX_NAMES) : names;
  const words = shown.map((name) => (name.length > MAX_NAME_CHARS ? `${name.slice(0, MAX_NAME_CHARS - 1)}…` : name));
  const rest = names.length - shown.length;
  return rest === 0 ? words.join(', ') : `${words.join(', ')} and ${rest} more`;
}

/** On one line. */
export function shortened(text = '', most = 80): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
