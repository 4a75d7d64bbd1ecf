/** The text with every line ending as \n. */
export const normalizeEndings = (text: string): string => (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text);

/** Visits each line ending of any kind, \r\n as one, in order, without copying the text. */
export function forEachEnding(text: string, visit: (start: number, end: number) => void): void {
  let feed = text.indexOf('\n');
  let carriage = text.indexOf('\r');
  while (feed !== -1 || carriage !== -1) {
    if (carriage !== -1 && (feed === -1 || carriage < feed)) {
      const isPair = feed === carriage + 1;
      visit(carriage, isPair ? carriage + 2 : carriage + 1);
      if (isPair) feed = text.indexOf('\n', feed + 1);
      carriage = text.indexOf('\r', carriage + 1);
    } else {
      visit(feed, feed + 1);
      feed = text.indexOf('\n', feed + 1);
    }
  }
}

export function countEndings(text: string): number {
  let count = 0;
  forEachEnding(text, () => {
    count += 1;
  });
  return count;
}

/** A trailing line ending starts no further line. */
export function countLines(text: string): number {
  return countEndings(text) + (text === '' || /[\r\n]/.test(text.at(-1) ?? '') ? 0 : 1);
}
