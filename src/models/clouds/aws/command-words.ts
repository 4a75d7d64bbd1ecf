/** The words of a command line in quotes and with escapes, as AWS's tools split `credential_process`. Nothing is expanded. */
export function commandWords(line: string): string[] {
  const words: string[] = [];
  const pattern = /\s*((?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+)/gsy;
  for (const [, word = ''] of line.matchAll(pattern)) {
    words.push(
      word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs, (_, double?: string, single?: string, escaped?: string) =>
        double === undefined ? (single ?? escaped ?? '') : double.replace(/\\(["\\$`])/g, '$1'),
      ),
    );
  }
  return words;
}
