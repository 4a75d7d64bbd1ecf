// Programs that take text in and give it back changed, on standard output alone.
import { hasOption, judgePlain, optionTable, parseOptions, plain, touch } from './options.js';
import type { Field, Program } from './program.js';

// What a filter reads beside its input: modules, other files, the environment. Behind a dot they are names of fields.
const reachesOut = /(?:^|[^.\w"$])(?:import|include|env|strenv|envsubst|load\w*|system|eval)\b|\$ENV\b|\$__/;

const checkFilter = (filter: Field | undefined): string | undefined =>
  reachesOut.test(filter?.value ?? filter?.text ?? '') ? 'its filter may read more than its input' : undefined;

const jqOptions = optionTable(
  `-cnrRjaCSseM -f=read -L=read-tree --compact-output --null-input --raw-output --raw-output0 --raw-input --join-output
  --ascii-output --color-output --monochrome-output --sort-keys --slurp --exit-status --tab --indent= --stream --stream-errors
  --seq --unbuffered --from-file=read --args --jsonargs --help --version`,
);

/** `--arg name value` takes two words. */
function withoutArguments(args: readonly Field[]): { rest: Field[]; problem?: string } {
  const rest: Field[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const field = args[at];
    if (field === undefined || field.value === '--') return { rest: [...rest, ...args.slice(at)] };
    if (!/^--arg(json)?$/.test(field.value ?? '')) {
      rest.push(field);
      continue;
    }
    const values = args.slice(at + 1, at + 3);
    if (values.length < 2 || values.some(({ splits }) => splits)) {
      return { rest: [...rest, ...args.slice(at + 1)], problem: `${field.text} lacks its name and value` };
    }
    at += 2;
  }
  return { rest };
}

const jq: Program = {
  names: ['jq'],
  judge({ args }) {
    const { rest, problem } = withoutArguments(args);
    const parsed = parseOptions(rest, jqOptions);
    const fromFile = hasOption(parsed, '-f', '--from-file');
    const verdict = judgePlain(parsed, { operands: fromFile ? ['read'] : ['value', 'read'] });
    const why =
      verdict.why ?? problem ?? (fromFile ? 'its filter is in a file' : undefined) ?? checkFilter(parsed.operands[0]);
    return { ...verdict, ...(why !== undefined && { why }) };
  },
  examples: {
    harmless: [
      "jq '.name' package.json",
      "jq -r '.scripts | keys[]' package.json",
      'jq . a.json',
      'cat a.json | jq .x',
      "jq --arg env x '.[$env]' a.json",
      "jq '.env, .include[0], .imports' a.json",
    ],
    not: [
      'jq --slurpfile a /etc/x . b',
      'jq . a > b',
      'jq --unheard-of . a',
      'jq -f a.jq b',
      'jq -nf a.jq b',
      "jq -n '$ENV'",
      'jq -n env',
      'jq -n \'import "x" as $d; $d\'',
      'jq --arg a $x . b',
    ],
  },
};

const yqOptions = optionTable(
  '-rjyPCMNe -o= -p= -I= --raw-output --output-format= --input-format= --indent= --prettyPrint --colors --no-colors --no-doc --help --version',
);

const yq: Program = {
  names: ['yq'],
  judge({ args }) {
    const parsed = parseOptions(args, yqOptions);
    const evaluates = /^(e|ea|eval|eval-all)$/.test(parsed.operands[0]?.value ?? '');
    const operands = evaluates ? parsed.operands.slice(1) : parsed.operands;
    const verdict = judgePlain({ ...parsed, operands }, { operands: ['value', 'read'] });
    // One implementation takes a single operand for the file.
    const why = verdict.why ?? checkFilter(operands[0]);
    const [only, ...more] = operands;
    const alone = only && more.length === 0 ? touch('read', only) : [];
    return { touches: [...(verdict.touches ?? []), ...alone], ...(why !== undefined && { why }) };
  },
  examples: {
    harmless: ["yq '.a' x.yml", 'yq -r .name a.yaml', "yq eval '.a' x.yml", 'cat a.yml | yq .a'],
    not: [
      "yq -i '.a=1' x.yml",
      'yq --inplace . x',
      'yq eval-all . x -s y',
      'yq \'load("x")\' x.yml',
      "yq e 'strenv(X)' x.yml",
    ],
  },
};

export const text: readonly Program[] = [
  plain({
    names: 'sort',
    filters: ['-r', '-n', '-u', '-f', '-V', '--unique', '--reverse'],
    options: `-bcCdfghiMmnRrsuVz -k= -S= -t= -o=write --output=write --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort
      --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --sort= --version-sort
      --batch-size= --check? --debug --key= --merge --stable --buffer-size= --field-separator= --parallel= --unique
      --zero-terminated --random-source=read --files0-from=read --help --version`,
    operands: ['read'],
    examples: {
      harmless: ['sort -u names.txt', 'sort -k2,2n a.txt', 'sort', 'sort -t: -k3 a.txt', 'sort -rn | head'],
      not: [
        'sort -o out a.txt',
        'sort -oout a',
        'sort -uo out a',
        'sort --output=x a',
        'sort --out x a',
        'sort --compress-program=x a',
        'sort --compress-prog ./x a',
        'sort -T /tmp a',
        'sort --files0-from=list',
        'sort *',
        'sort $x',
      ],
    },
  }),
  plain({
    names: 'uniq',
    filters: ['-d', '-u', '-i'],
    options: `-cdDiuz -f= -s= -w= --count --repeated --all-repeated? --skip-fields= --group? --ignore-case --skip-chars= --unique
      --zero-terminated --check-chars= --help --version`,
    operands: ['read', 'write'],
    maxOperands: 1,
    operandsEndOptions: true,
    examples: {
      harmless: ['uniq', 'uniq -c a.txt', 'sort a | uniq -d'],
      not: ['uniq a.txt pwned', 'uniq a -c', 'uniq a*', 'uniq $x'],
    },
  }),
  plain({
    names: 'cut',
    options:
      '-b= -c= -d= -f= -nsz --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= --zero-terminated --help --version',
    operands: ['read'],
    anyOption: true,
    examples: { harmless: ['cut -d/ -f2 paths.txt', "cut -d ' ' -f 1", 'cut -c1-10 a'], not: ['cut -Q a'] },
  }),
  plain({
    names: 'tr',
    options: '-cCdst --complement --delete --squeeze-repeats --truncate-set1 --help --version',
    operands: ['value'],
    anyOption: true,
    examples: { harmless: ["tr 'a-z' 'A-Z' < a.txt", 'tr -d "\\n"'], not: ['tr a b > x'] },
  }),
  plain({
    names: 'paste',
    options: '-d= -sz --delimiters= --serial --zero-terminated --help --version',
    operands: ['read'],
    anyOption: true,
    examples: { harmless: ['paste a b', 'paste -sd, a', 'seq 3 | paste -s -'], not: ['paste -Q a'] },
  }),
  plain({
    names: 'join comm',
    options: `-123iz -a= -e= -j= -o= -t= -v= --ignore-case --check-order --nocheck-order --header --output-delimiter= --total
      --zero-terminated --help --version`,
    operands: ['read'],
    examples: { harmless: ['comm -12 a b', 'join a b', 'comm <(sort a) <(sort b)'], not: ['comm -Q a b'] },
  }),
  plain({
    names: 'fold fmt expand unexpand',
    options: `-bscuatip -w= -g= -# --bytes --spaces --width= --crown-margin --prefix= --split-only --tagged-paragraph
      --uniform-spacing --goal= --initial --tabs= --all --first-only --help --version`,
    operands: ['read'],
    anyOption: true,
    examples: { harmless: ['fold -w 80 a', 'fmt a.txt', 'expand -i a'], not: ['fold -Q a'] },
  }),
  plain({
    names: 'column',
    options:
      '-txLJde -s= -c= -o= -N= -R= -H= -W= -O= -T= -n= -E= --table --separator= --output-separator= --output-width= --table-columns= --table-right= --table-hide= --json --fillrows --help --version',
    operands: ['read'],
    anyOption: true,
    examples: { harmless: ['column -t a', 'column -s, -t a.csv'], not: ['column -Q a'] },
  }),
  jq,
  yq,
  plain({
    names: 'iconv',
    options: '-f= -t= -cs --from-code= --to-code= --silent --list -l --help --version',
    operands: ['read'],
    examples: { harmless: ['iconv -f latin1 -t utf-8 a.txt'], not: ['iconv -f a -t b x -o out', 'iconv --output=x a'] },
  }),
  plain({
    names: 'zcat gzcat',
    options: '-cfklnqv --help --version',
    operands: ['read'],
    examples: { harmless: ['zcat a.gz'], not: ['zcat -Z a', 'zgrep foo a.gz'] },
  }),
];
