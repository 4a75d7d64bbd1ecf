// Programs that transform text from input to standard output.
import { json } from './json.js';
import { judgePlain, optionTable, parseOptions, plain, type TabledProgram } from './options.js';
import type { Program } from './program.js';

const iconvOptions = optionTable(
  '-f= -t= -cls --from-code= --to-code= --silent --list --verbose --help --usage --version',
);

const iconv: TabledProgram = {
  names: ['iconv'],
  table: iconvOptions,
  judge({ args }) {
    const parsed = parseOptions(args, iconvOptions);
    const verdict = judgePlain(parsed, { operands: ['read'] });
    // An encoding's name may select a module to load, so it has to look like one.
    const isName = (text: string | undefined): boolean => /^[A-Za-z][\w.:+-]*(\/\/[A-Z]*)*$/.test(text ?? '');
    const isOdd = parsed.options.some(
      ({ name, value }) => /^-(f|t|-from-code|-to-code)$/.test(name) && !isName(value?.value),
    );
    const why = verdict.why ?? (isOdd ? 'the name of an encoding is not understood' : undefined);
    return { ...verdict, ...(why !== undefined && { why }) };
  },
  examples: {
    harmless: ['iconv -f latin1 -t utf-8 a.txt', 'iconv -l', 'iconv -f UTF-8 -t ASCII//TRANSLIT a'],
    not: [
      'iconv -f a -t b x -o out',
      'iconv -co out a',
      'iconv --output=x a',
      'iconv --out x a',
      'iconv -f ../x -t utf-8 a',
      'iconv -f "$x" a',
    ],
  },
};

const zcatOptions = optionTable('-fklnqtv --force --list --quiet --test --verbose --help --version');

const zcat: TabledProgram = {
  names: ['zcat', 'gzcat'],
  table: zcatOptions,
  judge({ args }) {
    const parsed = parseOptions(args, zcatOptions);
    const verdict = judgePlain(parsed, { operands: ['read'] });
    // A name without an extension is tried with one, which would be another file.
    const guesses = parsed.operands.some(({ value }) => !/\.(gz|tgz|taz|z|Z)$|^-$/.test(value ?? ''));
    const why = verdict.why ?? (guesses ? 'which file it reads depends on what is there' : undefined);
    return { ...verdict, ...(why !== undefined && { why }) };
  },
  examples: {
    harmless: ['zcat a.gz', 'cat a.gz | zcat', 'zcat -f a.gz'],
    not: ['zcat -Z a.gz', 'zgrep foo a.gz', 'zcat -r .', 'zcat -S .x a.gz', 'zcat a', 'zcat .env'],
  },
};

export const text: readonly Program[] = [
  plain({
    // Not -T (writes there) and --compress-program.
    names: 'sort',
    filters: ['-r', '-n', '-u', '-f', '-V', '--unique', '--reverse'],
    options: `-bcCdfghiMmnRrsuVz -k= -S= -t= -o=write --output=write --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort
      --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --sort= --version-sort
      --batch-size= --check? --debug --key= --merge --stable --buffer-size= --field-separator= --parallel= --unique
      --zero-terminated --random-source=read --files0-from=names --help --version`,
    operands: ['read'],
    examples: {
      harmless: [
        'sort -u names.txt',
        'sort -k2,2n a.txt',
        'sort',
        'sort -t: -k3 a.txt',
        'sort -rn | head',
        'sort --files0-from=list',
      ],
      not: [
        'sort -o out a.txt',
        'sort -oout a',
        'sort -uo out a',
        'sort a -o out',
        'sort --output=x a',
        'sort --out x a',
        'sort --compress-program=x a',
        'sort --compress-prog ./x a',
        'sort -T /tmp a',
        'sort -nT . a',
        'sort --temporary-directory=. a',
        'sort --files list',
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
      not: ['uniq a.txt pwned', 'uniq a -c', 'uniq a*', 'uniq $x', 'uniq -c -- a b', 'uniq --skip 1 a'],
    },
  }),
  plain({
    names: 'cut',
    options: `-b= -c= -d= -f= -nsz --bytes= --characters= --delimiter= --fields= --complement --only-delimited
      --output-delimiter= --zero-terminated --help --version`,
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
    names: 'join',
    options:
      '-iz -1= -2= -a= -e= -j= -o= -t= -v= --ignore-case --check-order --nocheck-order --header --zero-terminated --help --version',
    operands: ['read'],
    examples: {
      harmless: ['join a b', 'join -1 2 -2 1 a b', 'join -t , a b'],
      not: ['join -3 a b', 'join --total a b'],
    },
  }),
  plain({
    names: 'comm',
    options: '-123z --check-order --nocheck-order --output-delimiter= --total --zero-terminated --help --version',
    operands: ['read'],
    examples: {
      harmless: ['comm -12 a b', 'comm <(sort a) <(sort b)', 'comm -23 a b'],
      not: ['comm -Q a b', 'comm -t , a b', 'comm -a 1 a b'],
    },
  }),
  plain({
    names: 'fold',
    options: '-# -bs -w= --bytes --spaces --width= --help --version',
    operands: ['read'],
    anyOption: true,
    examples: {
      harmless: ['fold -w 80 a', 'fold -sw 80 a', 'fold -80 a'],
      not: ['fold -Q a', 'fold -t 4 a', 'fold -p x a'],
    },
  }),
  plain({
    // Not -p and -t: which of them takes a value differs between implementations.
    names: 'fmt',
    options: '-# -csu -w= --crown-margin --split-only --uniform-spacing --width= --help --version',
    operands: ['read'],
    anyOption: true,
    examples: {
      harmless: ['fmt a.txt', 'fmt -w 60 a', 'fmt -72 a'],
      not: ['fmt -Q a', 'fmt -p .env a', 'fmt -tw .env'],
    },
  }),
  plain({
    names: 'expand',
    options: '-# -i -t= --initial --tabs= --help --version',
    operands: ['read'],
    anyOption: true,
    examples: { harmless: ['expand -i a', 'expand -t 4 a'], not: ['expand -w 4 a', 'expand -a a'] },
  }),
  plain({
    names: 'unexpand',
    options: '-# -a -t= --all --first-only --tabs= --help --version',
    operands: ['read'],
    anyOption: true,
    examples: { harmless: ['unexpand -a a', 'unexpand -t 4 a'], not: ['unexpand -i a', 'unexpand -w 4 a'] },
  }),
  plain({
    // Not -n, -l, -r, -i, -p: flags in one implementation, with a value in another.
    names: 'column',
    options: `-txLJde -s= -c= -o= -N= -R= -H= -W= -O= -T= -E= --table --separator= --output-separator= --output-width= --table-columns=
      --table-right= --table-hide= --table-order= --table-wrap= --table-truncate= --table-noextreme= --table-noheadings
      --table-header-repeat --keep-empty-lines --json --fillrows --help --version`,
    operands: ['read'],
    anyOption: true,
    examples: {
      harmless: ['column -t a', 'column -s, -t a.csv'],
      not: ['column -Q a', 'column -n .env', 'column --out x a'],
    },
  }),
  ...json,
  iconv,
  zcat,
];
