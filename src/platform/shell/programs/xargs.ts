import { guessCommand, hasOption, optionTable, optionTouches, parseOptions } from './options.js';
import { type Call, known, type Program, type ProgramVerdict, type ShellField, wordOfNames } from './program.js';

export const xargs: Program = {
  names: ['xargs', 'gxargs'],
  judge: judgeXargs,
  examples: {
    harmless: ["find . -name '*.ts' | xargs grep -l foo", 'find . -print0 | xargs -0 wc -l', 'seq 3 | xargs echo'],
    not: [
      'xargs rm',
      'ls | xargs rm',
      'xargs -I{} rm {}',
      'xargs -a list rm',
      'xargs sh -c "rm x"',
      "ls | xargs -n1 sh -c 'rm $0'",
      'xargs touch x < /dev/null',
    ],
  },
};

const xargsOptions = optionTable(
  '-0oprtx -a=read -d= -E= -e? -I= -i? -L= -l? -n= -P= -s= -J= -R= --null --arg-file=read --delimiter= --eof? --replace? --max-lines? --max-args= --max-procs= --max-chars= --no-run-if-empty --verbose --exit --interactive --open-tty --show-limits --process-slot-var= --help --version',
);

function judgeXargs({ args, piped }: Call): ProgramVerdict {
  const parsed = parseOptions(args, xargsOptions, { operandsEndOptions: true });
  if (parsed.problem !== undefined) {
    return {
      why: parsed.problem,
      unknown: `what xargs runs is not understood: ${parsed.problem}`,
      starts: [{ words: guessCommand(args) }],
    };
  }
  const fromFile = hasOption(parsed, '-a', '--arg-file');
  const marks = parsed.options
    .filter(({ name }) => ['-I', '-i', '--replace', '-J'].includes(name))
    .map(({ value }) => value?.value ?? '{}');
  const atNul =
    hasOption(parsed, '-0', '--null') && !hasOption(parsed, '-d', '--delimiter', '-I', '-i', '--replace', '-J');
  const names = fromFile ? undefined : piped;
  const text = marks[0] ?? '';
  const stdin: ShellField = names
    ? wordOfNames(text, names, { atNul, splits: true })
    : { text, mayBeOption: true, splits: true };
  const words = parsed.operands.map((word): ShellField => {
    const holds = marks.some((mark) => mark !== '' && (word.value ?? word.text).includes(mark));
    if (!holds) return word;
    return marks.includes(word.value ?? '')
      ? { ...stdin, text: word.text }
      : { text: word.text, mayBeOption: true, splits: false };
  });
  const command = words.length > 0 ? words : [known('echo')];
  // Words from standard input are appended; they have no text, since a rule would have to match it.
  const appended = marks.length > 0 ? [] : [stdin];
  return {
    touches: optionTouches(parsed),
    starts: [{ words: [...command, ...appended] }],
    needsWalls: true,
    ...(hasOption(parsed, '--process-slot-var') && { why: 'it sets a variable' }),
  };
}
