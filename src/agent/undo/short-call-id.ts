// Ids of calls that people can type: providers give calls ids of 30 characters that begin alike.

const LEAST_CHARS = 6;
const WHOLE_CHARS = 16; // an id of this length is short enough

/** The end of a long id, with as many characters as tell it apart from the others. */
export function shortCallId(id: string, all: readonly string[]): string {
  if (id.length <= WHOLE_CHARS) return id;
  const others = all.filter((other) => other !== id);
  for (let chars = LEAST_CHARS; chars < id.length; chars += 1) {
    const end = id.slice(-chars);
    if (!others.some((other) => other.endsWith(end))) return end;
  }
  return id;
}

/** The id that a short one stands for; the text itself if it stands for none or for several. */
export function fullCallId(text: string, all: readonly string[]): string {
  if (text.length < LEAST_CHARS || all.includes(text)) return text;
  const [only, second] = all.filter((id) => id.endsWith(text));
  return only !== undefined && second === undefined ? only : text;
}
