// sed and awk: their first operand is a program of its own, and is let through only where every part of it is known.
import { checkAwk } from './check-awk.js';
import { checkSed } from './check-sed.js';
import { hasOption, optionTable, optionTouches, parseOptions, touch } from './options.js';
import type { Field, Program } from './program.js';

const sedOptions = optionTable(
  '-nErsuz -e= -l= -i? -I? -f=read --quiet --silent --regexp-extended --separate --unbuffered --null-data --expression= --line-length= --posix --in-place? --file=read --help --version --sandbox',
);

const sed: Program = {
  names: ['sed', 'gsed'],
  judge({ args }) {
    const parsed = parseOptions(args, sedOptions);
    const given = parsed.options
      .filter(({ name }) => name === '-e' || name === '--expression')
      .map(({ value }) => value);
    const fromFile = hasOption(parsed, '-f', '--file');
    const scripts = given.length > 0 || fromFile ? given : parsed.operands.slice(0, 1);
    const files = given.length > 0 || fromFile ? parsed.operands : parsed.operands.slice(1);
    const inPlace = hasOption(parsed, '-i', '-I', '--in-place');
    // They are one script, each on its own lines: the text that an `a` adds may go on into the next.
    const whole = scripts.map((script) => script?.value);
    const problem = checkSed(whole.every((part) => part !== undefined) ? whole.join('\n') : undefined);
    const why =
      parsed.problem ??
      (inPlace ? 'it changes files in place' : undefined) ??
      (fromFile ? 'its script is in a file' : undefined) ??
      (scripts.length === 0 && !hasOption(parsed, '--help', '--version') ? 'it has no script' : undefined) ??
      problem;
    const touches = [
      ...optionTouches(parsed),
      ...files.flatMap((file) => [...touch('read', file), ...(inPlace ? touch('write', file) : [])]),
    ];
    return { touches, ...(why !== undefined && { why }) };
  },
  examples: {
    harmless: [
      "sed -n '1,20p' a.txt",
      "sed -n '/start/,/end/p' a.txt",
      "sed 's/a/b/g' a.txt",
      "sed -e 's/a/b/' -e '/x/d' a",
      "sed '$d' a",
      "sed -E 's|(a)|\\1|' a",
      "sed -n '$=' a",
      "sed '1!G;h;$!d' a",
      "sed 's/^[ \\t]*//' a",
      "sed -n '5{p;q}' a",
      "sed -n -e '/a/{' -e p -e '}' a",
    ],
    not: [
      "sed -i 's/a/b/' a.txt",
      "sed -i.bak 's/a/b/' a",
      "sed -n 's/a/b/w out' a",
      "sed 's/a/b/e' a",
      "sed '1e touch x' a",
      "sed 'w out' a",
      'sed -f x a',
      "sed 'r /etc/passwd' a",
      'sed "$x" a',
      "sed -n 's/a/b/pw out' a",
      "sed '1,2W x' a",
      'sed --in-place=x p a',
      'sed p *',
      "sed -e 'a x\\' -e 's/a/b\nw out/' a",
      "sed 's/a/b\ne id/' a",
    ],
  },
};

const awkOptions = optionTable('-F= -v= --field-separator= --assign= --posix -P --re-interval -r --version -V --help');

const awk: Program = {
  names: ['awk', 'gawk', 'mawk', 'nawk'],
  judge({ args }) {
    const parsed = parseOptions(args, awkOptions, { operandsEndOptions: true });
    const [script, ...files]: readonly Field[] = parsed.operands;
    const asks = hasOption(parsed, '--version', '-V', '--help');
    const why = parsed.problem ?? (asks ? undefined : checkAwk(script?.value));
    const named = parsed.problem === undefined ? files : parsed.operands;
    const inPlace = args.some(({ value }) => value === 'inplace');
    const touches = named.flatMap((file) => [...touch('read', file), ...(inPlace ? touch('write', file) : [])]);
    return { touches, ...(why !== undefined && { why }) };
  },
  examples: {
    harmless: [
      "awk '{print $1}' a.txt",
      "awk -F: '{print $1, $3}' a",
      "awk 'NR==1' a",
      "awk 'NR>=5 && NR<=10' a",
      "awk '/foo|bar/ {c++} END {print c}' a",
      'awk \'{s+=$1} END {printf "%d\\n", s}\' a',
      "awk 'length($0) > 80' a",
      "awk '$1 > 5 {print $2}' a",
      "awk '{ if (/a/) print ($1 + $2) / 2 }' a",
      "awk '/[^\\t]\\// {print length}' a",
    ],
    not: [
      'awk \'{system("id")}\' a',
      'awk \'{print > "out"}\' a',
      'awk \'{print | "sh"}\' a',
      'awk \'BEGIN{while((getline l < "/etc/passwd")>0) print l}\'',
      'awk -f x.awk a',
      'awk \'/"/ { system("x") } /"/\' a',
      'awk \'BEGIN{ARGV[1]="/etc/passwd";ARGC=2}{print}\' x',
      "awk -i inplace '{print}' a",
      'awk \'@load "x"\' a',
      'awk "$x" a',
      'awk \'{print $1 >> "x"}\' a',
      'awk \'BEGIN { "date" | getline d }\'',
      'awk \'{printf("x") > "f"}\' a',
      'awk \'BEGIN{ if (1) /"/; system("id"); if (1) /"/ }\'',
      'awk \'/["/]/ { system("id") } /["/]/\' a',
      'awk \'length /"/; system("id"); length /"/\' a',
      'awk \'{print 1,\n\n2 > "x"}\' a',
    ],
  },
};

export const scripts: readonly Program[] = [sed, awk];
