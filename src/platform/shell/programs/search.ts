// Programs that look for files, and for text in files.
import { hasOption, judgePlain, optionTable, optionTouches, type Parsed, parseOptions, touch } from './options.js';
import { type Field, known, notHarmless, type Place, type Program, type Started, type Verdict } from './program.js';

const grepOptions = optionTable(
  `-# -abcEFGhHiIlLnoPqrsTUuvVwxyzZ -A= -B= -C= -D= -d= -e= -f=read -m= --after-context= --before-context= --context= --basic-regexp
  --binary --binary-files= --byte-offset --color? --colour? --count --devices= --directories= --exclude=
  --exclude-dir= --exclude-from=read --extended-regexp --file=read --files-with-matches --files-without-match --fixed-strings
  --group-separator= --no-group-separator --ignore-case --no-ignore-case --include= --initial-tab --invert-match --label=
  --line-buffered --line-number --line-regexp --max-count= --no-filename --no-messages --null --null-data --only-matching
  --perl-regexp --quiet --recursive --regexp= --silent --text --with-filename --word-regexp --help --version`,
);

/** The pattern comes first, unless an option gave it; what remains are files. */
function patternThenFiles(parsed: Parsed, given: readonly string[]): Field[] {
  return hasOption(parsed, ...given) ? parsed.operands : parsed.operands.slice(1);
}

const fieldPlaces = (fields: readonly Field[]): Place[] | undefined => {
  const places = fields.flatMap(({ value, places: some }): (Place | undefined)[] =>
    value === undefined ? [...(some ?? [undefined])] : [{ path: value, tree: true }],
  );
  const all = places.filter((place) => place !== undefined);
  return all.length === places.length ? all : undefined;
};

const grep: Program = {
  names: ['grep', 'egrep', 'fgrep'],
  judge({ args }) {
    const parsed = parseOptions(args, grepOptions, { anyOption: true });
    const recursive = hasOption(parsed, '-r', '--recursive');
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
    const prints = names ? fieldPlaces(files.length > 0 ? files : [known('.')]) : undefined;
    const passesNames =
      files.length === 0 && !recursive && !hasOption(parsed, '-o', '--only-matching', '--label', '-c', '--count');
    return {
      ...(passesNames && { passesNames }),
      touches,
      ...(parsed.problem !== undefined && { why: parsed.problem }),
      ...(prints && { prints }),
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
    ],
    not: ['grep foo a > b', 'grep --unheard-of a b'],
  },
};

const rgOptions = optionTable(
  `-# -acFHhiIlnNopPqsSuUvVwx0 -E= -A= -B= -C= -e= -f=read -g= -j= -m= -M= -r= -t= -T= -d= --after-context= --before-context= --context=
  --regexp= --file=read --glob= --iglob= --threads= --max-count= --max-columns= --replace= --type= --type-not= --max-depth= --maxdepth=
  --sort= --sortr= --color= --colors= --encoding= --engine= --max-filesize= --context-separator= --field-match-separator=
  --path-separator= --type-list --files --files-with-matches --files-without-match --count --count-matches --line-number --no-line-number
  --ignore-case --case-sensitive --smart-case --fixed-strings --word-regexp --line-regexp --invert-match --only-matching --pcre2
  --multiline --multiline-dotall --hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-parent --text --null --json --vimgrep
  --heading --no-heading --with-filename --no-filename --column --no-column --byte-offset --passthru --pretty --quiet --stats --trim
  --unrestricted --one-file-system --no-messages --no-config --crlf --glob-case-insensitive --no-require-git --help --version`,
);

const rg: Program = {
  names: ['rg'],
  judge({ args }) {
    const parsed = parseOptions(args, rgOptions);
    const given = ['-e', '-f', '--regexp', '--file', '--files', '--type-list', '--version', '--help'];
    const files = patternThenFiles(parsed, given);
    const listing = hasOption(parsed, '--files');
    const meaning = listing ? 'list-tree' : 'read-tree';
    const roots = files.length > 0 ? files : [known('.')];
    const touches = [...optionTouches(parsed), ...roots.flatMap((file) => touch(meaning, file))];
    const names =
      (listing || hasOption(parsed, '-l', '--files-with-matches', '--files-without-match')) &&
      !hasOption(parsed, '--path-separator', '--stats', '--json');
    const prints = names ? fieldPlaces(roots) : undefined;
    return { touches, ...(parsed.problem !== undefined && { why: parsed.problem }), ...(prints && { prints }) };
  },
  examples: {
    harmless: ['rg foo', 'rg -n "a b" src', 'rg -l foo -g "*.ts"', 'rg --files', 'rg -tts foo'],
    not: [
      'rg --pre ./evil.sh foo',
      'rg --pre=x foo',
      'rg --hostname-bin x foo',
      'rg foo --search-zip',
      'rg foo *',
      'rg --ignore-file x foo',
    ],
  },
};

const plainTests = new Set(
  '-true -false -empty -readable -writable -executable -nouser -nogroup -print -print0 -ls -prune -quit -depth -d -daystart -mount -xdev -noleaf -ignore_readdir_race -noignore_readdir_race -warn -nowarn -o -or -a -and -not ! , ( )'.split(
    ' ',
  ),
);
const valueTests = new Set(
  '-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -mtime -atime -ctime -mmin -amin -cmin -perm -user -group -uid -gid -links -inum -maxdepth -mindepth -used -fstype -regextype -printf -context -D'.split(
    ' ',
  ),
);
const fileTests = /^-(newer|anewer|cnewer|samefile|newer[aBcm][aBcmt])$/;

function judgeFind({ args }: { args: readonly Field[] }): Verdict {
  const rest = [...args];
  const roots: Field[] = [];
  while (rest[0] && /^-(P|O\d)$/.test(rest[0].value ?? '')) rest.shift();
  while (rest[0] && !/^([-!(),].*)?$/s.test(rest[0].value ?? (rest[0].mayBeOption ? '-' : 'x')))
    roots.push(...rest.splice(0, 1));
  const from = roots.length > 0 ? roots : [known('.')];
  const places = fieldPlaces(from);
  const touches = [...from.flatMap((root) => touch('list-tree', root))];
  const starts: Started[] = [];
  let why: string | undefined;
  let namesOnly = true; // what it prints are the names of files, each as it is
  for (let field = rest.shift(); field !== undefined; field = rest.shift()) {
    const { value, text } = field;
    if (value === undefined) {
      why ??= `${text} may be an action`;
    } else if (plainTests.has(value)) {
      namesOnly &&= value !== '-ls';
    } else if (valueTests.has(value)) {
      namesOnly &&= value !== '-printf';
      const operand = rest.shift();
      if (operand === undefined) why ??= `${value} lacks its value`;
      else if (operand.value === undefined && operand.splits) why ??= `${operand.text} may be several words`;
    } else if (fileTests.test(value)) {
      const operand = rest.shift();
      if (operand) touches.push(...touch('list', operand));
    } else if (/^-(exec|execdir|ok|okdir)$/.test(value)) {
      const end = rest.findIndex(
        (word, index) => word.value === ';' || (word.value === '+' && rest[index - 1]?.value === '{}'),
      );
      if (end < 0) why ??= `${value} has no end`;
      const words = rest.splice(0, end < 0 ? rest.length : end + 1).slice(0, end < 0 ? undefined : -1);
      starts.push({
        words: words.map((word) => foundFile(word, places)),
        ...(value.endsWith('dir') && { in: known('.') }),
      });
    } else if (value === '-delete') {
      why ??= 'it deletes what it finds';
      touches.push(...from.flatMap((root) => touch('remove-tree', root)));
    } else if (/^-(fprint0?|fls|fprintf)$/.test(value)) {
      why ??= `${value} writes a file`;
      const operand = rest.shift();
      if (operand) touches.push(...touch('write', operand));
      if (value === '-fprintf') rest.shift();
    } else {
      why ??= `the action ${value} is not known to be harmless`;
    }
  }
  return { touches, ...(why !== undefined && { why }), starts, ...(places && namesOnly && { prints: places }) };
}

/** `{}` in what find runs: a file below one of its roots. */
function foundFile(word: Field, places: readonly Place[] | undefined): Field {
  if (!word.value?.includes('{}')) return word;
  return {
    text: word.text,
    mayBeOption: false,
    splits: word.value === '{}',
    ...(word.value === '{}' && places && { places: places.map(({ path }) => ({ path, tree: true })) }),
  };
}

const find: Program = {
  names: ['find', 'gfind'],
  judge: judgeFind,
  examples: {
    harmless: [
      "find . -name '*.ts'",
      'find . -name x 2>/dev/null',
      'find src -type f -size +10k',
      "find . -name '*.md' -exec grep -l foo {} +",
      "find . \\( -name a -o -name b \\) -not -path './x/*'",
      'find . -maxdepth 2 -type d | sort',
      "find . -name '*.ts' -exec wc -l {} \\;",
    ],
    not: [
      'find . -delete',
      'find . -exec rm {} \\;',
      'find . -fprint x',
      'find . -ex\\ec touch x \\;',
      'find . $F',
      'find . -ok rm {} \\;',
      'find . -fls x',
      "find . -exec sh -c 'rm x' \\;",
    ],
  },
};

const fdOptions = optionTable(
  `-HIuapl0sigFq1 -d= -t= -e= -E= -c= -j= -S= --hidden --no-ignore --no-ignore-vcs --unrestricted --case-sensitive --ignore-case --glob --regex
  --fixed-strings --absolute-path --full-path --print0 --max-depth= --min-depth= --exact-depth= --exclude= --type= --extension= --size=
  --changed-within= --changed-before= --owner= --color= --threads= --max-results= --quiet --strip-cwd-prefix --one-file-system --help --version`,
);

const fd: Program = {
  names: ['fd', 'fdfind'],
  judge({ args }) {
    const at = args.findIndex(({ value }) => /^(-[xX]|--exec|--exec-batch)$/.test(value ?? ''));
    const parsed = parseOptions(at < 0 ? args : args.slice(0, at), fdOptions);
    const roots = parsed.operands.length > 1 ? parsed.operands.slice(1) : [known('.')];
    const places = fieldPlaces(roots);
    const words = at < 0 ? [] : args.slice(at + 1).map((word) => foundFile(word, places));
    const appended = words.some(({ text }) => text.includes('{')) ? [] : [foundFile(known('{}'), places)];
    return {
      touches: roots.flatMap((root) => touch('list-tree', root)),
      ...(parsed.problem !== undefined && { why: parsed.problem }),
      ...(words.length > 0 && { starts: [{ words: [...words, ...appended] }] }),
      ...(places && !hasOption(parsed, '-l') && { prints: places }),
    };
  },
  examples: {
    harmless: ['fd foo', 'fd -e ts', "fd -t f '.*' src", 'fd foo -x wc -l'],
    not: ['fd foo -x rm', 'fd -X rm', 'fd foo --exec=rm', 'fd foo --ignore-file x'],
  },
};

const which: Program = {
  names: ['which', 'whereis', 'type'],
  judge: ({ args }) =>
    judgePlain(parseOptions(args, optionTable('-a -s -p -P -t -f -b -m -S --all --help --version')), {
      operands: ['value'],
    }),
  examples: {
    harmless: ['which node', 'type ls', 'which -a python3', 'whereis git'],
    not: ['which > x', 'whereis --unheard-of x'],
  },
};

export const search: readonly Program[] = [
  grep,
  rg,
  find,
  fd,
  which,
  {
    names: ['locate'],
    judge: () => notHarmless('it lists files outside the project'),
    examples: { harmless: [], not: ['locate x'] },
  },
];
