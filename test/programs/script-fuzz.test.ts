// Scripts of sed and awk, made from their grammar and from attacks. Each one that the checkers pass is run by every
// implementation that is installed, and the kernel says what it did: nothing but read the one file may happen.
import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkAwk } from '../../src/platform/shell/programs/check-awk.js';
import { checkSed } from '../../src/platform/shell/programs/check-sed.js';
import { quoteWord } from '../../src/platform/shell/programs/program.js';
import { isInstalled } from './help-options.js';
import { createRandom, type Random } from './random.js';
import { baitFolder, pictureOf, runObserved, whyNotObservable } from './run-observed.js';

const soak = process.env['HELVE_SOAK'] !== undefined;
const SCRIPTS = soak ? 200_000 : 3_000;
const RUN_AT_MOST = soak ? 600 : 15; // of those that pass, by each implementation
const BATCH = 60;
const seed = Number(process.env['HELVE_SEED'] ?? Date.now() % 1_000_000);

const sedAttacks = [
  '\\c.ce touch ran',
  '/a/e touch ran',
  's/a/touch ran/e',
  's/a/b/w out',
  's,a,b,;w out',
  '1w out',
  'r .env',
  'R .env',
  'W out',
  'a\\\ntext\nw out',
  'a text\\\nw out',
  'i\\text',
  '1{p;w out\n}',
  'y/abc/xyz/;w out',
  's/[/]/x/;w out',
  's/[]/]/x/;w out',
  's/[[:alpha:]/]/x/;e touch ran',
  ':a;N;$!ba;s/\\n/ /g',
  'saxaya;e touch ran',
  '\\,a,Ip;w out',
  '0,/a/e touch ran',
  '1~2e touch ran',
  '2,+1{s/a/b/;e touch ran\n}',
  '#n\nw out',
  '# c\\\nw out',
  'v\nw out',
  's/a/x\\\ny/;w out',
  '1!{2!w out\n}',
  'b end;w out;:end',
  '}w out',
  's/\\(a\\)/\\1/2gp',
  '$!N;P;D',
  'c\\\nx\\\\\nw out',
  'l 3;q 0',
  '\\:[a:]:p;w out',
];

const awkAttacks = [
  '/[]/]/ / 1; system("touch ran"); x = 1 / 2',
  '{ if (1) /"/; system("touch ran"); if (1) /"/ }',
  '{ print $1 > "out" }',
  '{ print $1 | "cat > out" }',
  '{ "touch ran" | getline x }',
  '{ getline x < ".env"; print x }',
  'BEGIN { ARGV[1] = ".env" } { print }',
  '{ switch (1) { case /"/: system("touch ran"); case /"/: } }',
  'BEGIN { f = "system"; @f("touch ran") }',
  'BEGIN { awk::system("touch ran") }',
  '{ a++ /"/; system("touch ran"); b++ /"/ }',
  'length /"/; system("touch ran"); length /"/',
  '{ printf("%s", $1) > "out" }',
  '{ print 1, 2 > "out" }',
  '{ print (1)(2) > "out" }',
  '{ x = 1esystem("touch ran") }',
  '# c \\\n{ system("touch ran") }',
  'function f(x) { return x / 2 } { print f($1) }',
  '{ n = split($0, a, /[ ]/); for (i in a) print a[i] / 2 }',
  '/a/,/b/ { c[$1]++ } END { for (k in c) print k, c[k] }',
  '!/a/ && $1 ~ /=/ || ($2, $3) in a { print length }',
  '{ do { i++ } while (i < 3); delete a[i]; a /= 2; $2 = "x" $1 "y" }',
  '{ print $1 ? "a" : "b" > "out" }',
  '{ print -1 " " -1; print !x + 1; print $NF-1, $(1)++ }',
  'BEGIN { while (("cat .env" | getline x) > 0) print x }',
  '{ sub(/\\//, "|"); gsub("[/]", "x"); print substr($0, 1) / 1 }',
  '{ if ($1 > 2) print; else if (!x) next; else exit 1 }\nEND { print NR % 2 ^ 2 }',
  '{ print "\\"" > "out" }',
  '{ print close("x"); fflush(); }',
  'BEGINFILE { system("touch ran") }',
];

const sedPieces =
  `e touch ran|w out|r .env|p|d|s/a/b/|s/a/b/e|s,a,b,w out|y/a/b/|a\\|a\\\n|\n|;|{|}|!|/a/|\\c.c|\\e.e|1|$|0,/a/|1~2|,+1|[|]|[/]|[]/]
  |\\|\\\\|\\\n|#|:a|ba|t|I|M|g|q|l 5|=|n|N|x|F|z|\\n|/|, |&|[[:alpha:]]|s|w|e|i x|c x| `.split('|');
const awkPieces =
  `system("touch ran")|print > "out"|print|printf|getline|/|/"/|/[/]/|/[]/]/|"|"a"|\\|\\\n|\n|;|{|}|(|)|[|]|$1|NF|x|a[x]|1|1e|.5|++|--|+|-|*|%|^|=
  |==|/=|!|~|!~|<|>|>>|&&|\\|\\||?|:|,|in|if|else|while|for|do|length|function f(x)|f(|return|BEGIN|END|switch|case|@|::|#|getline x|close(|ENVIRON|next|exit|delete|/a/|/=/| `
    .replaceAll('\\|', '\0')
    .split('|')
    .map((piece) => piece.replaceAll('\0', '|'));

/** An attack with pieces put in, taken out or put elsewhere, or pieces alone. */
function mutated(random: Random, attacks: readonly string[], pieces: readonly string[]): string {
  if (random.below(4) === 0) return Array.from({ length: random.below(9) + 1 }, () => random.pick(pieces)).join('');
  let script = random.pick(attacks);
  for (let times = random.below(4); times >= 0; times -= 1) {
    const at = random.below(script.length + 1);
    const length = random.below(4);
    script = random.pick([
      () => script.slice(0, at) + random.pick(pieces) + script.slice(at),
      () => script.slice(0, at) + script.slice(at + length),
      () => script.slice(0, at) + random.pick(pieces) + script.slice(at + length),
      () => script.slice(0, at) + random.pick(attacks).slice(random.below(8)),
      () => script + random.pick([';', '\n', ' ']) + random.pick(attacks),
    ])();
  }
  return script;
}

function passing(check: (script: string) => boolean, attacks: readonly string[], pieces: readonly string[]): string[] {
  const random = createRandom(seed);
  const found = new Set<string>();
  for (let tries = 0; tries < SCRIPTS && found.size < RUN_AT_MOST; tries += 1) {
    const script = mutated(random, attacks, pieces);
    if (!script.includes('\0') && check(script)) found.add(script);
  }
  return [...found];
}

const folder = baitFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const whyNot = whyNotObservable();

/** What scripts did beside reading the file that they were given. */
function misdeeds(commands: readonly string[]): string[] {
  const before = pictureOf(folder);
  const found: string[] = [];
  for (let at = 0; at < commands.length; at += BATCH) {
    for (const { command, reads, acts } of runObserved(folder, commands.slice(at, at + BATCH), 2)) {
      const problems = [...acts, ...reads.filter((path) => basename(path) !== 'a.txt').map((path) => `reads ${path}`)];
      if (problems.length > 0) found.push(`${command}: ${problems.join('; ')}`);
    }
  }
  if (pictureOf(folder) !== before) found.push('the folder has changed');
  return found;
}

const checksSed = (script: string): boolean => checkSed([script]).why === undefined;

function observed(program: string, commandsOf: () => string[]): void {
  const missing = isInstalled(program.split(' ')[0] ?? '') ? undefined : `${program} is not installed`;
  const reason = whyNot ?? missing;
  test.skipIf(reason !== undefined)(
    `${program} does nothing but read its file with a script that passes${reason ? `: ${reason}` : ''}`,
    { timeout: soak ? 3_600_000 : 120_000 },
    () => {
      const commands = commandsOf();
      expect(commands.length, `seed ${seed}`).toBeGreaterThan(5);
      expect(misdeeds(commands), `seed ${seed}, ${commands.length} scripts`).toEqual([]);
    },
  );
}

const seds = [
  'sed -n',
  'busybox sed -n',
  ...(soak ? ['sed', 'sed -E', 'sed -s --debug', 'sed -z', 'sed --posix'] : []),
];
for (const program of seds) {
  observed(program, () =>
    passing(checksSed, sedAttacks, sedPieces).map((script) => `${program} ${quoteWord(script)} a.txt`),
  );
}

const checksAwk = (program: string): boolean => checkAwk(program) === undefined;

for (const program of ['mawk', 'gawk', 'original-awk', 'busybox awk']) {
  observed(program, () =>
    passing(checksAwk, awkAttacks, awkPieces).map((script) => `${program} ${quoteWord(script)} a.txt`),
  );
}
