const MAX_TITLE_CHARS = 120; // for a command within a sentence

/** The first line of a command, with an ellipsis if there are more. */
export function firstLine(command: string): string {
  const [first = '', ...rest] = command.trim().split('\n');
  return rest.length > 0 ? `${first} …` : first;
}

/** The same, short enough for a sentence. */
export function shortTitle(command: string): string {
  const title = firstLine(command);
  return title.length > MAX_TITLE_CHARS ? `${title.slice(0, MAX_TITLE_CHARS)}…` : title;
}

export const seconds = (milliseconds: number): string => `${Number((milliseconds / 1000).toFixed(1))} s`;
