// Lines of shell language with payloads in them. They really run if their effects say that they are harmless and write
// nothing: then nothing may have changed. The kernel is the judge, not our opinion of the line.
import { spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { Effect } from '../../contract/effect.js';
import { realPathSync } from '../files/paths.js';
import { createCommandAnalyzer } from './command-effects.js';

const soak = process.env['HELVE_SOAK'] !== undefined;
const runs = soak ? 20_000 : 300;
const seed = Number(process.env['HELVE_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const analyzer = createCommandAnalyzer();
const base = realPathSync(mkdtempSync(join(tmpdir(), 'helve-shell-fuzz-')));

afterAll(() => rmSync(base, { recursive: true, force: true }), 120_000);

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are the shell's
const subscript = 'a[$(touch PWNED)]';
const literal = fc.constantFrom(
  '1',
  '0',
  'x',
  'a',
  'watched',
  '-v',
  '-R',
  '-n',
  '-z',
  '-eq',
  '=',
  '!',
  '(',
  ')',
  '-a',
  '-o',
  '""',
);
const payload = fc.constantFrom(`'${subscript}'`, `"a[\\$(touch PWNED)]"`, "'x[$(echo p >watched)]'");
const variable = fc.constantFrom(
  '"$v"',
  '$v',
  '"$w"',
  '$w',
  '"$1"',
  '"$2"',
  '"$@"',
  '"${v}"',
  '"${v:-x}"',
  '$i',
  '$((i))',
  '"$#"',
);
const word = fc.oneof(
  { weight: 4, arbitrary: literal },
  { weight: 2, arbitrary: payload },
  { weight: 4, arbitrary: variable },
);

const setUp = fc.constantFrom(
  '',
  `v='${subscript}'; `,
  `v=-v; w='${subscript}'; `,
  `v=-v w='${subscript}'; `,
  `set -- -v '${subscript}'; `,
  `set -- ! -v '${subscript}'; `,
  `i=1; `,
  `i='${subscript}'; `,
  `i=1; i='${subscript}'; `,
  `for v in -v '${subscript}'; do :; done; `,
  `read v <<< '${subscript}'; `,
  `a=(1); v='([$(touch PWNED)]=1)'; `,
  `v=%n; `,
  `v=src; v='-delete' w=$v; `,
  'exec 3<watched; ',
  'exec 3<watched && ',
  'exec 3>&1; ',
  'f() { exec 3<watched; }; f; ',
  'f() { echo x >/dev/fd/3; }; ',
  'f() { echo x >/dev/stdout; }; ',
  'cd /dev/fd; ',
  'cd d; ',
);

const arithmetic = fc
  .tuple(
    fc.constantFrom(
      'i',
      '1',
      'v',
      '$v',
      '${v}',
      'i+1',
      'i=1',
      'i++',
      'a[i]',
      'a[$v]',
      'v==1',
      '(i)',
      '1?v:2',
      '$#',
      '-v',
    ),
    fc.nat(7),
  )
  .map(
    ([expression, form]) =>
      [
        `echo $((${expression}))`,
        `((${expression}))`,
        `[[ ${expression.includes(' ') ? '1' : expression} -eq 1 ]]`,
        `echo \${v:${expression}}`,
        `echo \${a[${expression}]}`,
        `let '${expression}'`,
        `for ((i=0; i<${expression}; i++)); do break; done`,
        `a[${expression}]=1`,
      ][form] ?? '',
  );

const test_ = fc.tuple(fc.array(word, { minLength: 1, maxLength: 6 }), fc.nat(3)).map(([words, form]) => {
  const text = words.join(' ');
  return [`[ ${text} ]`, `test ${text}`, `[[ ${words.slice(0, 3).join(' ')} ]]`, `[ ! ${text} ]`][form] ?? '';
});

// Evaluated text may set variables that arithmetic reads as numbers.
const evaluated = fc
  .tuple(fc.constantFrom(subscript, '1', 'x'), fc.nat(4))
  .map(
    ([value, form]) =>
      [
        `i=1; x='i="${value.replaceAll('$', '\\\\$')}"'; eval "$x"; echo $((i))`,
        `i=1; eval 'i="${value}"'; echo $((i))`,
        `i=1; trap 'i=${value}' DEBUG; echo $((i))`,
        `i=1 v='${value}'; [[ $i -eq 1 ]]`,
        `i=1; sh -c 'v=$(echo x >/dev/stderr) true 2<watched'`,
      ][form] ?? '',
  );

const setters = fc
  .tuple(
    fc.constantFrom('v', 'SRANDOM', 'RANDOM', 'OPTIND', 'a', 'i', 'HISTCMD', 'PATH', 'IFS'),
    fc.oneof(payload, variable),
    fc.nat(10),
  )
  .map(
    ([name, value, form]) =>
      [
        `${name}=${value}`,
        `declare ${name}=${value}`,
        `declare -i ${name}=${value}`,
        `readonly ${name}=${value}`,
        `printf ${value} ${name}`,
        `printf 'abc%n' ${name}; ls`,
        `printf 'x%5n' ${name}`,
        `read ${name} <<< ${value}; echo $((${name === 'PATH' ? 1 : name}))`,
        `for ${name} in ${value}; do echo "$${name}"; done`,
        `declare "${name}=${value.replaceAll('"', '')}"`,
        `unset ${value}`,
      ][form] ?? '',
  );

const number = fc.constantFrom('', '0', '1', '2', '3', '4');
const target = fc.constantFrom(
  'watched',
  '/dev/null',
  '/dev/stdin',
  '/dev/stdout',
  '/dev/stderr',
  '/dev/fd/0',
  '/dev/fd/1',
  '/dev/fd/3',
  '/dev/fd/4',
  '/proc/self/fd/3',
  '/proc/self/fd/0',
  '/proc/thread-self/fd/3',
  '/proc/$$/fd/3',
  '/proc/self/cwd/watched',
  '/dev/fd/../fd/3',
  '//dev//fd/3',
  'fd/3',
  '3',
  'input', // a link to /dev/stdin
  'process/fd/3', // through a link to /proc/self
);
const redirection = fc.oneof(
  fc.tuple(number, fc.constantFrom('<', '<', '>', '>>', '>|', '<>'), target).map((parts) => parts.join('')),
  fc
    .tuple(number, fc.constantFrom('<&', '>&'), fc.constantFrom('0', '1', '2', '3', '4', '3-', '-'))
    .map((parts) => parts.join('')),
  fc.constantFrom('<<< x', '{v}<watched', '&>/dev/fd/3', '3<watched', '<watched', '1<watched', '>&/dev/stdin'),
);
const redirected = fc
  .tuple(
    fc.constantFrom(
      'echo x',
      'cat',
      'ls',
      'head -1 /dev/stdin',
      'true',
      '[[ a ]]',
      '{ echo x >/dev/fd/3; }',
      '(echo x >/dev/stdin)',
      'f',
      'eval "echo x >/dev/fd/3"',
      "bash -c 'echo x >/dev/stdout'",
      'timeout 5 echo x',
      'exec',
      'command exec',
      'for i in 1; do echo x >/dev/fd/3; done',
      'cat /dev/fd/3',
      'sort',
      'tee /dev/fd/3',
    ),
    fc.array(redirection, { minLength: 1, maxLength: 3 }),
  )
  .map(([command, redirections]) => `${command} ${redirections.join(' ')}`);

const names = fc
  .tuple(
    fc.constantFrom(
      'find names -type f',
      'find names -type f -print0',
      'ls names',
      'cd names; ls',
      'find . -name "*w*"',
    ),
    fc.constantFrom('xargs', 'xargs -0', 'xargs -n1', 'xargs -I{}', "xargs -d '\\n'"),
    fc.constantFrom(
      'cat',
      'wc -l',
      'sed -n 5p',
      'sort',
      'grep x',
      'sed -n 5p {}',
      'head -1',
      'file',
      'uniq',
      'awk 1',
      'echo',
    ),
  )
  .chain(([from, xargs, command]) =>
    fc.constantFrom(
      `${from} | ${xargs} ${command}`,
      `for f in names/*; do ${command} $f; done`,
      `for f in names/*; do ${command} "$f"; done`,
      `for f in *; do ${command} "$f"; done`,
      `for f in $(${from}); do ${command} "$f"; done`,
      `${from} | while read -r f; do ${command} "$f"; done`,
      `${from} | while IFS= read -r -d '' f; do ${command} "$f"; done`,
      `${command} names/*`,
      `${command} *`,
    ),
  );

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: they are the shell's
const simple = fc.oneof(
  { weight: 3, arbitrary: test_ },
  { weight: 2, arbitrary: arithmetic },
  { weight: 2, arbitrary: setters },
  { weight: 1, arbitrary: evaluated },
  { weight: 4, arbitrary: redirected },
  { weight: 1, arbitrary: names },
);
const line = fc
  .tuple(setUp, fc.array(simple, { minLength: 1, maxLength: 3 }), fc.constantFrom('; ', ' && ', ' || ', ' | ', '\n'))
  .map(([before, parts, between]) => before + parts.join(between));

const isFree = (effects: readonly Effect[]): boolean =>
  effects.every((effect) => {
    if (effect.kind === 'command') return effect.harmless;
    if (effect.kind === 'file') return effect.access === 'read' || effect.real === '/dev/null';
    return effect.kind === 'session';
  });

/** In a separate folder: nothing else can be written if bubblewrap works. */
function runConfined(command: string, cwd: string): void {
  const bash = ['/bin/bash', '--norc', '--noprofile', '-c', command];
  const options = { cwd, env: { PATH: '/usr/bin:/bin' }, input: '', timeout: 5_000, killSignal: 'SIGKILL' as const };
  const walls = [
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--bind',
    cwd,
    cwd,
    '--unshare-net',
    '--unshare-pid',
    '--die-with-parent',
    '--chdir',
    cwd,
  ];
  if (hasBubblewrap) spawnSync('bwrap', [...walls, ...bash], options);
  else spawnSync('/bin/bash', bash.slice(1), options);
}

const hasBubblewrap =
  spawnSync('bwrap', [
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--unshare-net',
    '--unshare-pid',
    'true',
  ]).status === 0;

function project(): string {
  const cwd = mkdtempSync(join(base, 'run-'));
  writeFileSync(join(cwd, 'watched'), 'a\nb\n');
  mkdirSync(join(cwd, 'd'));
  writeFileSync(join(cwd, 'd/watched'), 'c\n');
  symlinkSync('/dev/stdin', join(cwd, 'input'));
  symlinkSync('/proc/self', join(cwd, 'process'));
  mkdirSync(join(cwd, 'names'));
  writeFileSync(join(cwd, 'names/0 -n -e 1wPWNED watched'), 'touch PWNED\n');
  writeFileSync(join(cwd, 'names/0\n-o\nPWNED'), 'x\n');
  writeFileSync(join(cwd, '-oPWNED'), 'x\n');
  return cwd;
}

const picture = (folder: string): string[] =>
  ['.', 'd', 'names'].flatMap((name) =>
    readdirSync(join(folder, name)).map((file) => {
      const path = join(folder, name, file);
      return `${name}/${file} ${lstatSync(path).isFile() ? readFileSync(path, 'utf8') : ''}`;
    }),
  );

test(`a line that counts as harmless changes nothing when it runs (seed ${seed})`, async () => {
  let ran = 0;
  const cwd = project();
  const before = picture(cwd);
  await fc.assert(
    fc.asyncProperty(line, async (command) => {
      if (!isFree(await analyzer.effects(command, { cwd, home: '/nonexistent' }))) return;
      ran += 1;
      runConfined(command, cwd);
      const after = picture(cwd);
      if (after.join() !== before.join()) {
        writeFileSync(join(cwd, 'watched'), 'a\nb\n');
        writeFileSync(join(cwd, 'd/watched'), 'c\n');
        for (const folder of ['.', 'd', 'names']) rmSync(join(cwd, folder, 'PWNED'), { force: true });
      }
      expect(after, command).toEqual(before);
    }),
    { numRuns: runs, seed },
  );
  expect(ran).toBeGreaterThan(runs / 50); // otherwise the test proves nothing
}, 1_200_000);
