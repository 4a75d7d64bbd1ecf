// Programs that search text in files.
import { finders } from './find.js';
import {
  followingLinks,
  hasOption,
  mayBecomeOption,
  optionTable,
  optionTouches,
  type ParsedArguments,
  parseOptions,
  plain,
  type TabledProgram,
  touch,
} from './options.js';
import { fieldPathSpecs } from './path-specs.js';
import { known, notHarmless, type Program, type ShellField } from './program.js';

const grepOptions = optionTable(
  `-# -abcEFGhHiIlLnoPqrRsTUuvVwxyzZ -A= -B= -C= -D= -d= -e= -f=read -m= --after-context= --before-context= --context= --basic-regexp
  --binary --binary-files= --byte-offset --color? --colour? --count --devices= --directories= --exclude=
  --exclude-dir= --exclude-from=read --extended-regexp --file=read --files-with-matches --files-without-match --fixed-strings
  --group-separator= --no-group-separator --ignore-case --no-ignore-case --include= --initial-tab --invert-match --label=
  --line-buffered --line-number --line-regexp --max-count= --no-filename --no-messages --null --null-data --only-matching
  --perl-regexp --quiet --recursive --dereference-recursive --regexp= --silent --text --with-filename --word-regexp --help --version`,
);

/** The pattern comes first, unless an option gave it; the rest are files. */
function patternThenFiles(parsed: ParsedArguments, given: readonly string[]): ShellField[] {
  return hasOption(parsed, ...given) ? parsed.operands : parsed.operands.slice(1);
}

/** It then follows symlinks, which lead out of the project only if it is not confined. */
const followsLinks = (parsed: ParsedArguments): boolean => hasOption(parsed, '-R', '--dereference-recursive');

/** `-r`, `-R`, or `-d` with anything but the two words that skip folders: `recurse` may be abbreviated. */
const isRecursive = ({ options }: ParsedArguments): boolean =>
  options.some(({ name, value }) => {
    if (name === '-d' || name === '--directories') return !/^(read|skip)$/.test(value?.value ?? '');
    return name === '-r' || name === '-R' || name === '--recursive' || name === '--dereference-recursive';
  });

const grep: TabledProgram = {
  names: ['grep', 'egrep', 'fgrep'],
  table: grepOptions,
  judge({ args }) {
    const parsed = parseOptions(args, grepOptions, { anyOption: true });
    const recursive = isRecursive(parsed);
    const files = patternThenFiles(parsed, ['-e', '-f', '--regexp', '--file']);
    const meaning = recursive ? 'read-tree' : 'read';
    const touches = [
      ...optionTouches(parsed),
      ...files.flatMap((file) => touch(meaning, file)),
      ...(recursive && files.length === 0 ? touch(meaning, known('.')) : []),
    ];
    const names =
      hasOption(parsed, '-l', '-L', '--files-with-matches', '--files-without-match') &&
      !hasOption(parsed, '--label', '-c', '--count');
    const prints = names ? fieldPathSpecs(files.length > 0 ? files : [known('.')]) : undefined;
    const passesNames =
      files.length === 0 && !recursive && !hasOption(parsed, '-o', '--only-matching', '--label', '-c', '--count');
    return {
      ...(passesNames && { passesNames }),
      touches: followsLinks(parsed) ? followingLinks(touches) : touches,
      ...((args.some(mayBecomeOption) || followsLinks(parsed)) && { needsWalls: true }),
      ...(parsed.problem !== undefined && { why: parsed.problem }),
      ...(prints && !followsLinks(parsed) && { prints }),
    };
  },
  examples: {
    harmless: [
      'grep -rn "rm -rf" .',
      'grep -i foo a.txt',
      'grep -A3 -B 2 foo *.ts',
      'grep -E "a|b" src/a.ts',
      'grep -c x a',
      'grep -rl foo --include="*.ts" .',
      'grep -d recurse foo src',
      'grep -R foo .',
      'grep -nR foo .',
    ],
    not: ['grep foo a > b', 'grep --unheard-of a b', 'grep --deref foo .', 'grep --fil x a'],
  },
};

// Not those that run a program (--pre, --hostname-bin, -z) or read other files (--ignore-file).
const rgOptions = optionTable(
  `-acFHhiIlLnNopPqsSuUvVwxb0. -E= -A= -B= -C= -e= -f=read -g= -j= -m= -M= -r= -t= -T= -d= --after-context= --before-context= --context=
  --regexp= --file=read --glob= --iglob= --threads= --max-count= --max-columns= --replace= --type= --type-not= --max-depth= --maxdepth=
  --sort= --sortr= --color= --colors= --encoding= --engine= --max-filesize= --context-separator= --field-match-separator=
  --path-separator= --type-list --files --files-with-matches --files-without-match --count --count-matches --line-number --no-line-number
  --ignore-case --case-sensitive --smart-case --fixed-strings --word-regexp --line-regexp --invert-match --only-matching --pcre2
  --multiline --multiline-dotall --hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-parent --text --null --json --vimgrep
  --heading --no-heading --with-filename --no-filename --column --no-column --byte-offset --passthru --pretty --quiet --stats --trim
  --unrestricted --one-file-system --no-messages --no-config --follow --crlf --glob-case-insensitive --no-require-git --help --version`,
);

const rg: TabledProgram = {
  names: ['rg'],
  table: rgOptions,
  judge({ args }) {
    const parsed = parseOptions(args, rgOptions);
    const given = ['-e', '-f', '--regexp', '--file', '--files', '--type-list', '--version', '--help'];
    const files = patternThenFiles(parsed, given);
    const listing = hasOption(parsed, '--files');
    const meaning = listing ? 'list-tree' : 'read-tree';
    const roots = files.length > 0 ? files : [known('.')];
    const isFollowing = hasOption(parsed, '-L', '--follow');
    const searched = roots.flatMap((file) => touch(meaning, file));
    const touches = [...optionTouches(parsed), ...(isFollowing ? followingLinks(searched) : searched)];
    const names =
      (listing || hasOption(parsed, '-l', '--files-with-matches', '--files-without-match')) &&
      !hasOption(parsed, '--path-separator', '--stats', '--json');
    const prints = names ? fieldPathSpecs(roots) : undefined;
    return {
      touches,
      ...(isFollowing && { needsWalls: true }),
      ...(parsed.problem !== undefined && { why: parsed.problem }),
      ...(prints && !isFollowing && { prints }),
    };
  },
  examples: {
    harmless: [
      'rg foo',
      'rg -n "a b" src',
      'rg -l foo -g "*.ts"',
      'rg --files',
      'rg -tts foo',
      'rg -. foo',
      'rg -iL foo',
    ],
    not: [
      'rg --pre ./evil.sh foo',
      'rg --pre=x foo',
      'rg --hostname-bin x foo',
      'rg foo --search-zip',
      'rg -nz foo',
      'rg foo *',
      'rg --ignore-file x foo',
      'rg --type-add x:include:y foo',
      'RIPGREP_CONFIG_PATH=x rg foo',
      'export RIPGREP_CONFIG_PATH=x; rg foo',
    ],
  },
};

export const search: readonly Program[] = [
  grep,
  rg,
  ...finders,
  plain({
    names: 'which',
    options: '-as --all --help --version',
    operands: ['value'],
    examples: {
      harmless: ['which node', 'which -a python3'],
      not: ['which > x', 'which -i ls', 'which --read-alias ls', 'which -p x'],
    },
  }),
  plain({
    names: 'whereis',
    options: '-bmsul --help --version',
    operands: ['value'],
    examples: { harmless: ['whereis git', 'whereis -b git'], not: ['whereis --unheard-of x', 'whereis -B /etc -f x'] },
  }),
  plain({
    names: 'type',
    options: '-afptP',
    operands: ['value'],
    examples: { harmless: ['type ls', 'type -a python3'], not: ['type -b ls', 'type --help ls'] },
  }),
  {
    names: ['locate'],
    judge: () => notHarmless('it lists files outside the project'),
    examples: { harmless: [], not: ['locate x'] },
  },
];
