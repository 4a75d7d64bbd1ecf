// Command lines made of the options that programs say they have. Each one that the analysis calls harmless is run, and the
// kernel says what it did.
import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import type { Effect } from '../../src/contract/effect.js';
import { createCommandAnalyzer } from '../../src/platform/shell/command-effects.js';
import { isInstalled, listedOptions } from './help-options.js';
import { createRandom, type Random } from './random.js';
import { baitFolder, pictureOf, runObserved, undeclaredReads, whyNotObservable } from './run-observed.js';

const soak = process.env['HELVE_SOAK'] !== undefined;
const LINES = soak ? 1_500 : 40; // for each program, before the analysis; few of them are harmless
const RUN_AT_MOST = soak ? 150 : 1; // of each program
const BATCH = 100;
const seed = Number(process.env['HELVE_SEED'] ?? Date.now() % 1_000_000);

const programs =
  `ls du tree cat head tail wc nl tac rev stat file df realpath readlink basename dirname md5sum sha256sum b2sum
  cksum sum shasum base64 base32 basenc od hexdump xxd strings diff colordiff cmp sdiff sort uniq cut tr paste join comm fold fmt
  expand unexpand column jq yq iconv zcat more grep egrep fgrep rg find fdfind which whereis whoami tty nproc who users id
  groups uname uptime free vmstat lscpu lsblk date pgrep ps w locale getconf sed printenv`.split(/\s+/);

// What help does not list in a way that can be read.
const unlisted: Readonly<Record<string, string>> = {
  tree: '-a -d -f -L -P -I -H -T -o -R -l -x -q -N -Q -p -u -g -s -h -D -F -v -t -c -U -r -i -A -S -n -C -X -J --fromfile --info --gitfile --infofile --hintro --charset --filelimit --sort --timefmt --noreport --prune',
  xxd: '-a -b -C -c -E -e -g -i -l -n -o -p -ps -r -s -u -v -cols -seek -revert -len --',
  find: '-name -newer -samefile -exec -execdir -ok -delete -fprint -fls -fprintf -printf -print -print0 -ls -type -maxdepth -mindepth -path -prune -o -a ! ( ) , -L -H -P -D -O3 -files0-from -readable -writable -empty -size -regex -quit -depth -follow -newermt -anewer',
  jq: '-c -n -e -s -r -R -C -M -S -f -L -j -a --tab --indent --arg --argjson --slurpfile --rawfile --args --jsonargs --from-file --seq --stream',
  ps: '-e -f -a -u -x -o -p -C -t -A -w -l -j -E e aux auxe axe -aux -auxe ax u f --sort --pid --user --forest -O O o k -k',
  which: '-a -s -i --read-alias',
  getconf: '-a -v PAGE_SIZE NAME_MAX',
  printenv: '-0 --null HOME PATH BAIT_KEY',
  diff: '-0 -5 -H -L -f -P -v',
  grep: '-5 -y -u',
  sed: '-I',
};

const values =
  `.env a.txt b.txt list lines secrets/key src 1 2 0 , x out recurse ./run.sh link - a.json a.gz sums utf-8 . .a 1p s/a/b/
  w\\ out pid size name @lines +2 "" 'w out' 'e id' 'r .env' json yes always`.split(
    /\s+(?![^']*'(?:[^']*'[^']*')*[^']*$)/,
  );

function commandLine(random: Random, program: string, options: readonly string[]): string {
  const shorts = options.filter((option) => /^-[^-]$/.test(option)).map((option) => option.slice(1));
  const others = options.filter((option) => !/^-[^-]$/.test(option));
  const value = (): string => random.pick(values);
  const bundle = (): string => `-${Array.from({ length: random.below(3) + 1 }, () => random.pick(shorts)).join('')}`;
  const piece = (): string[] => {
    if (shorts.length > 0 && (others.length === 0 || random.below(2) === 0)) {
      return random.pick([() => [bundle()], () => [bundle(), value()], () => [`${bundle()}${value()}`]])();
    }
    const option = random.pick(others.length > 0 ? others : ['--help']);
    const abbreviated = option.slice(0, 4 + random.below(option.length));
    return random.pick([
      () => [option],
      () => [option, value()],
      () => [`${option}=${value()}`],
      () => [`${abbreviated}=${value()}`],
      () => [abbreviated, value()],
    ])();
  };
  const operands = Array.from({ length: random.below(3) }, () => [value()]);
  const words = random.shuffled([...Array.from({ length: random.below(3) + 1 }, piece), ...operands]).flat();
  if (random.below(6) === 0) words.splice(random.below(words.length + 1), 0, '--');
  return [program, ...words.map((word) => word.replaceAll(/[()!;]/g, '\\$&'))].join(' ');
}

const isHarmless = (effects: readonly Effect[]): boolean =>
  effects.every((effect) => {
    if (effect.kind === 'command') return effect.harmless;
    if (effect.kind === 'file') return effect.access === 'read';
    return effect.kind === 'session';
  });

const analyzer = createCommandAnalyzer();
const whyNot = whyNotObservable();
const folder = baitFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function harmlessLines(random: Random, program: string): Promise<Map<string, readonly Effect[]>> {
  const listed = [...listedOptions(program).keys()].filter(
    (option) => !/^(-[fF]|--follow|--retry)$/.test(option) || program !== 'tail',
  );
  const options = [...listed, ...(unlisted[program]?.split(' ') ?? [])];
  const found = new Map<string, readonly Effect[]>();
  for (let line = 0; line < LINES && found.size < RUN_AT_MOST; line += 1) {
    const command = commandLine(random, program, options);
    const effects = await analyzer.effects(command, { cwd: folder, home: `${folder}/home` });
    if (isHarmless(effects)) found.set(command, effects);
  }
  return found;
}

test.skipIf(whyNot !== undefined)(
  `a command line of options that is called harmless does nothing that was not declared${whyNot ? `: ${whyNot}` : ''}`,
  { timeout: soak ? 3_600_000 : 120_000 },
  async () => {
    const random = createRandom(seed);
    const before = pictureOf(folder);
    const lines = new Map<string, readonly Effect[]>();
    for (const program of programs.filter(isInstalled)) {
      for (const [line, effects] of await harmlessLines(random, program)) lines.set(line, effects);
    }
    const commands = [...lines.keys()];
    const wrong: string[] = [];
    for (let at = 0; at < commands.length; at += BATCH) {
      for (const observed of runObserved(folder, commands.slice(at, at + BATCH))) {
        const undeclared = undeclaredReads(observed, lines.get(observed.command) ?? [], folder);
        const problems = [...observed.acts, ...undeclared.map((path) => `reads ${path}`)];
        if (problems.length > 0) wrong.push(`${observed.command}: ${problems.join('; ')}`);
      }
    }
    const count = commands.length;
    if (soak) process.stderr.write(`seed ${seed}: ${count} command lines were run\n`);
    expect(wrong, `seed ${seed}, ${count} command lines`).toEqual([]);
    expect(pictureOf(folder), `seed ${seed}`).toBe(before);
    expect(count).toBeGreaterThan(programs.length / 2);
  },
);

test.skipIf(whyNot !== undefined)('the tracer sees what a command reads, writes, starts and connects to', () => {
  const own = baitFolder();
  const acts = (command: string): string => {
    const [observed] = runObserved(own, [command]);
    const reads = observed === undefined ? [] : undeclaredReads(observed, [], own);
    return [...(observed?.acts ?? []), ...reads.map((path) => `reads ${path}`)].join('; ');
  };
  expect(acts('cat link')).toBe(`reads ${own}/.env`);
  expect(acts('sort -o out a.txt')).toContain(`writes ${own}/out`);
  expect(acts('find a.txt -exec cat {} +')).toContain('runs cat');
  expect(acts('touch a.txt')).toContain('a.txt');
  expect(acts('mkdir new')).toContain('mkdir');
  expect(acts('rm b.txt')).toContain('unlinkat');
  expect(acts('echo x > /dev/tcp/127.0.0.1/9')).toContain('connects');
  expect(acts('cat a.txt')).toBe(`reads ${own}/a.txt`);
  expect(acts('true')).toBe('');
  rmSync(own, { recursive: true });
});
