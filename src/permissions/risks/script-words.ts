// The simple commands of a script that another program runs, as far as a risk has to know them.
const MAX_CHARS = 10_000;

/** Words without their quotes, one list for each simple command. A word with an expansion stays as it is written. */
export function scriptCommands(script: string): string[][] {
  const commands: string[][] = [[]];
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) commands.at(-1)?.push(word);
    word = undefined;
  };
  const text = script.slice(0, MAX_CHARS);
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (character === "'" || character === '"') {
      const end = text.indexOf(character, index + 1);
      const last = end < 0 ? text.length : end;
      word = (word ?? '') + text.slice(index + 1, last);
      index = last;
    } else if (character === '\\') {
      word = (word ?? '') + (text[index + 1] ?? '');
      index += 1;
    } else if (/[;&|\n(){}]/.test(character)) {
      endWord();
      commands.push([]);
    } else if (/\s/.test(character)) endWord();
    else word = (word ?? '') + character;
  }
  endWord();
  return commands
    .map((words) => words.slice(words.findIndex((each) => !/^\w+=/.test(each))))
    .filter((words) => words.length > 0);
}
