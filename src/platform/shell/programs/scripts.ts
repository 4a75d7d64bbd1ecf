// sed and awk: their first operand is a program of its own, and is accepted only if every part of it is known.
import { checkAwk, isForbiddenName } from './check-awk.js';
import { checkSed } from './check-sed.js';
import { hasOption, optionTable, optionTouches, parseOptions, type TabledProgram, touch } from './options.js';
import type { Program, ShellField } from './program.js';

// --posix, --debug and --sandbox do not extend what the script may do. `-l` takes no value on BSD systems.
const sedOptions = optionTable(
  `-nErsuz -e= -l= -i? -I? -f=read --quiet --silent --regexp-extended --separate --unbuffered --null-data --expression=
  --line-length= --posix --debug --in-place? --file=read --help --version --sandbox`,
);

const isExpression = ({ name }: { name: string }): boolean => name === '-e' || name === '--expression';

const sed: TabledProgram = {
  names: ['sed', 'gsed'],
  table: sedOptions,
  judge({ args }) {
    const parsed = parseOptions(args, sedOptions);
    const given = parsed.options.filter(isExpression).map(({ value }) => value);
    const fromFile = hasOption(parsed, '-f', '--file');
    const scripts = given.length > 0 || fromFile ? given : parsed.operands.slice(0, 1);
    const files = given.length > 0 || fromFile ? parsed.operands : parsed.operands.slice(1);
    const inPlace = hasOption(parsed, '-i', '-I', '--in-place');
    const { why: problem, intricate } = checkSed(scripts.map((script) => script?.value));
    // BSD systems accept no options after the first operand, which is then the script.
    const early = parseOptions(args, sedOptions, { operandsEndOptions: true });
    const isLate = early.options.filter(isExpression).length !== given.length;
    const lengths = parsed.options.filter(({ name }) => name === '-l' || name === '--line-length');
    const why =
      parsed.problem ??
      (inPlace ? 'it changes files in place' : undefined) ??
      (fromFile ? 'its script is in a file' : undefined) ??
      (isLate ? 'an operand comes before its script' : undefined) ??
      (lengths.every(({ value }) => /^\d+$/.test(value?.value ?? ''))
        ? undefined
        : 'the length of its lines is no number') ??
      (scripts.length === 0 && !hasOption(parsed, '--help', '--version') ? 'it has no script' : undefined) ??
      problem;
    const touches = [
      ...optionTouches(parsed),
      ...files.flatMap((file) => [...touch('read', file), ...(inPlace ? touch('write', file) : [])]),
    ];
    return { touches, ...(why !== undefined && { why }), ...(intricate && { needsWalls: true }) };
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
      "sed -n '\\,src/,p' a",
      "sed -n '0,/x/p' a",
      "sed -n '0~3p' a",
      "sed '2,+3d' a",
      "sed '2,~4d' a",
      "sed '/a/Id' a",
      "sed 'y/abc/xyz/' a",
      "sed '$!N;P;D' a",
      "sed ':a;N;$!ba;s/\\n/ /g' a",
      "sed '1i\\\nhead' a",
      "sed '1i head' a",
      "sed '$a\\tail' a",
      "sed 's/a/b/;t end;s/c/d/;:end' a",
      "sed --debug -n 's/a/b/gp' a",
      "sed -z 's/\\n/,/g' a",
      "sed 's/[[:space:]]*$//' a",
      "sed 's/[]x[]/y/' a",
      "sed -n '/a/,/b/{//!p}' a",
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
      "sed -n '\\c.ce id' a.txt",
      "sed -n '\\e.eeid' a",
      "sed -n '\\c.c,\\c.ce id' a",
      "sed '/[/]e id' a",
      "sed 's/[/]/e/e' a",
      "sed '/a[/]/e id;/' a",
      "sed 's/[[:x]/b/w out' a",
      "sed 's/[\\]/]/w out' a",
      "sed 'y/[/]/;w out' a",
      "sed 'saxayaw out' a",
      "sed 's a b w out' a",
      "sed 's/a/b/ w out' a",
      "sed 's/a/b/;e' a",
      "sed '1{e id' -e '}' a",
      "sed 'R out' a",
      "sed 'r .env' a",
      "sed 'a\\' -e 'w out' a",
      "sed -e 'a\\' -e 'e id' a",
      "sed 'a x\\\\\ne id' a",
      "sed '1a\ne id' a",
      "sed 'p # x\\\ne id' a",
      "sed 'b x;e id' a",
      "sed 'c\\\\\nw out' a",
      "sed 'a\\\n\\\nw out' a",
      "sed 'a x\\\\\\\nw out' a",
      "sed 'b #end;w out;:end' a",
      "sed ':a #b;w out' a",
      "sed ':a}e id' a",
      "sed '}e id' a",
      "sed '1~e id' a",
      "sed '1,e id' a",
      "sed '1!!e id' a",
      "sed 'v\ne id' a",
      "sed 'L' a",
      "sed -l 'w out' p a",
      "sed 'w out' a -e p",
      "sed -ne p -e 'w out' a",
      "sed --expr='w out' a",
      'sed -s -i p a',
      'sed -ni p a',
      'sed -En -f x a',
      "sed 's/a/b/m;w out' a",
      "sed 's/a/b/pe' a",
      "sed 's/\\ca/e/;w out' a",
      "sed '/a/I,/b/Ie id' a",
      "sed '/a/ I e id' a",
      "sed '$!{$!e id' -e '}' a",
    ],
  },
};

// Only options that every awk has: BSD awk takes the word after an unknown option for its program.
const awkOptions = optionTable('-F= -v=');

const asksVersion = (args: readonly ShellField[]): boolean =>
  args.length === 1 && /^(--version|-V|--help)$/.test(args[0]?.value ?? '');

/** Why a variable on the command line is not understood. */
function checkAssignment({ value, text }: ShellField): string | undefined {
  const [, name] = /^["']?([A-Za-z_]\w*)=/.exec(value ?? text) ?? [];
  return name === undefined || isForbiddenName(name) ? `${text} is not understood as a variable` : undefined;
}

const awk: Program = {
  names: ['awk', 'gawk', 'mawk', 'nawk'],
  judge({ args }) {
    if (asksVersion(args)) return { needsWalls: true };
    const parsed = parseOptions(args, awkOptions, { operandsEndOptions: true });
    const [script, ...files]: readonly ShellField[] = parsed.operands;
    const assigned = parsed.options.flatMap(({ name, value }) =>
      name === '-v' && value ? checkAssignment(value) : [],
    );
    const why =
      parsed.problem ??
      assigned.find((problem) => problem !== undefined) ??
      // gawk connects to such a file name.
      (files.some(({ text }) => /inet/.test(text)) ? 'it may connect to a server' : undefined) ??
      checkAwk(script?.value);
    const named = parsed.problem === undefined ? files : parsed.operands;
    const inPlace = args.some(({ value }) => value === 'inplace');
    const touches = named.flatMap((file) => [...touch('read', file), ...(inPlace ? touch('write', file) : [])]);
    return { touches, needsWalls: true, ...(why !== undefined && { why }) };
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
      "awk '{ for (i = 1; i <= NF; i++) s += $i } END { print s / NR }' a",
      'awk -v x="$y" \'$1 == x\' a',
      "awk 'function f(a, b) { return a > b ? a : b } { print f($1, $2) }' a",
      'awk \'BEGIN { PROCINFO["sorted_in"] = "@ind_str_asc" } { c[$1]++ } END { for (k in c) print k, c[k] }\' a',
      "awk '{ if ($1) { print } else print $2; next }\nEND { print NR }' a",
      "awk '$1 ~ /=/ && !/x/' a",
      "awk '{ do { i++ } while (i < 3); delete a[i]; a /= 2 }' a",
      'awk \'!/^#/ { printf("%s\\n", $1) }\' FS=: a',
      "awk '(($1, $2) in a) { print ($1 > $2) }' a",
      'awk --version',
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
      'awk \'/[]/]/ / 1; system("id"); x = 1 / 2\' a.txt',
      'awk \'/[^]/]/ / 1; system("id"); x = 1 / 2\' a',
      'awk \'/[[:alpha:]/]/ / 1; system("id"); x = 1 / 2\' a',
      'awk \'/[\\]/]/ / 1; system("id"); x = 1 / 2\' a',
      'awk \'/a/ /"/; system("id"); x /"/\' a',
      'gawk \'{ switch (1) { case /"/: system("id"); case /"/: } }\' a',
      'gawk \'{ switch (1) { case 1: print > "x" } }\' a',
      'gawk \'BEGIN { f = "system"; @f("id") }\'',
      'gawk \'BEGIN { awk::system("id") }\'',
      'gawk \'@include "x"; { print }\' a',
      'gawk \'@namespace "x"; BEGIN { awk::system("id") }\'',
      'gawk \'BEGIN { print "x" |& "cat" }\'',
      'gawk \'BEGIN { "id" |& getline x; print x }\'',
      'awk \'BEGIN { print ENVIRON["HOME"] }\'',
      'gawk \'BEGIN { print PROCINFO["pid"] }\'',
      'gawk \'BEGIN { SYMTAB["x"] = 1 }\'',
      'awk \'BEGIN { if (1) / 2; system("id"); x /2; if (1) /3/ }\'',
      'awk \'{ a++ /"/; system("id"); b++ /"/ }\' a',
      'awk \'{ while (i--)\n/"/; system("id"); x = /"/ }\' a',
      'awk \'BEGIN { x = 1esystem("id") }\'',
      'awk \'BEGIN { x = 0xsystem("id") }\'',
      'awk \'# x \\\nBEGIN { system("id") }\'',
      'awk \'{ print $1, ($2) > "x" }\' a',
      'awk \'{ print $1 ? "a" : "b" > "x" }\' a',
      'awk \'{ printf "%s", $1 > $2 }\' a',
      "awk '{ print > $1 }' a",
      'awk \'{ print $1 > "/dev/stderr" }\' a',
      'awk \'{ print "x" | "cat" }\' a',
      "awk '{ getline; print }' a",
      "awk '{ getline x < $1 }' a",
      "awk '{ close($1) }' a",
      "awk '{ f($1) }' a",
      "gawk '{ print }' /inet/tcp/0/example.com/80",
      'gawk -e \'BEGIN { system("id") }\'',
      "gawk -p x '{ print }' a",
      "gawk -pprof '{ print }' a",
      "gawk --profile '{ print }' a",
      "gawk --dump-variables '{ print }' a",
      "gawk -d '{ print }' a",
      "gawk -o '{ print }' a",
      "gawk -l filefuncs '{ print }' a",
      "mawk -W exec x '{ print }' a",
      "mawk -We x '{ print }' a",
      "awk -v ENVIRON=1 '{ print }' a",
      "awk -v 'BEGIN{system(\"id\")}' '{print}' a",
      "awk -Pv 'BEGIN{system(\"id\")}' '{print}' a",
      "awk --field-separator 'BEGIN{system(\"id\")}' '{print}' a",
      'awk --help \'BEGIN{system("id")}\'',
      "awk -v x=$y '{print}' a",
      "awk -F $x '{print}' a",
    ],
  },
};

export const scripts: readonly Program[] = [sed, awk];
