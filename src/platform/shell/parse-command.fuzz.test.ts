// Generated commands, against the shell itself and against another parser. Where our reading of a command differs from
// what really starts, the answer has to be that it is unknown; nothing else is acceptable.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { counterpart } from '../../../test/counterparts.js';
import type { CommandEffect, Effect, FileEffect } from '../../contract/effect.js';
import { realPathSync } from '../files/paths.js';
import { createCommandAnalyzer } from './command-effects.js';

const soak = process.env['HELVE_SOAK'] !== undefined;
const runs = soak ? 5_000 : 120;
const analyzer = createCommandAnalyzer();

let base = '';
let treeSitter: TreeParser | undefined;

const parserModule = counterpart('test-tools', 'web-tree-sitter/web-tree-sitter.js');
const bashGrammar = counterpart('test-tools', 'tree-sitter-bash/tree-sitter-bash.wasm');

/** The other parser, as far as these tests use it: its types are not here when this is compiled. */
interface TreeParser {
  setLanguage(language: unknown): void;
  parse(text: string): { rootNode: Node; delete(): void } | null;
}

interface Node {
  type: string;
  text: string;
  hasError: boolean;
  namedChildren: ReadonlyArray<Node | null>;
}

interface TreeSitter {
  Parser: { init(): Promise<void>; new (): TreeParser };
  Language: { load(path: string): Promise<unknown> };
}

beforeAll(async () => {
  base = realPathSync(mkdtempSync(join(tmpdir(), 'helve-fuzz-')));
  mkdirSync(join(base, 'bin'));
  for (const name of ['p1', 'p2', 'p3', 'x y']) {
    const file = join(base, 'bin', name);
    writeFileSync(file, recorder);
    chmodSync(file, 0o755);
  }
  if (!parserModule.isThere) return;
  const { Parser, Language }: TreeSitter = await import(parserModule.url);
  await Parser.init();
  treeSitter = new Parser();
  treeSitter.setLanguage(await Language.load(bashGrammar.path));
});

afterAll(() => rmSync(base, { recursive: true, force: true }), 120_000);

// Records its name and words, and prints one of them, so that substitutions have a value.
const recorder = `#!/bin/sh
{ printf '%s' "\${0##*/}"; for word; do printf '\\037%s' "$word"; done; printf '\\036'; } > "$RECORD/$$"
printf 'out'
`;

// What a command is made of. Every program is a recorder; file names are few, so that they meet.
const name = fc.constantFrom('p1', 'p2', 'p3', "'p1'", '"p2"', 'p\\1', 'p""2', "$'p\\x31'", 'p\\\n3');
const plain = fc.constantFrom(
  'a',
  'b',
  '-n',
  'f1',
  '"a b"',
  "'c  d'",
  'a\\ b',
  "$'t\\tb'",
  '""',
  'x=1',
  '~',
  '\\;',
  "'&&'",
  '"|"',
  '#',
  'a#b',
  '{a,b}',
  'q{1..3}',
  '{}',
  '\\*',
  "'*'",
  '"$HOME"',
  '$PWD',
  '=',
  '!',
  '[',
  ']',
  '\\\\',
  "it\\'s",
  '"\\$x"',
  '"\\`"',
  'é',
);
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: they are the shell's
const dynamic = fc.constantFrom(
  '$u',
  '"$u"',
  '${u}',
  '${u:-d}',
  '"${u:-d e}"',
  '$((1+2))',
  '*.none',
  '$#',
  '${#u}',
  '"$@"',
  '$?',
  '{$u,b}',
  '~nobody',
  '$v',
  '"$v"',
  "${u:-'}'}",
  '"${u:-"}"}"',
);

// biome-ignore-end lint/suspicious/noTemplateCurlyInString: they are the shell's
const { script } = fc.letrec<{ script: string; list: string; command: string; word: string; simple: string }>(
  (tie) => ({
    word: fc.oneof(
      { weight: 8, arbitrary: plain },
      { weight: 3, arbitrary: dynamic },
      { weight: 2, arbitrary: tie('list').map((inner) => `$(${inner})`) },
      { weight: 1, arbitrary: tie('list').map((inner) => `"$(${inner})"`) },
      { weight: 1, arbitrary: tie('simple').map((inner) => `\`${inner.replaceAll(/[\\`$]/g, '\\$&')}\``) },
      { weight: 1, arbitrary: tie('list').map((inner) => `<(${inner})`) },
      { weight: 1, arbitrary: tie('list').map((inner) => `\${u:-$(${inner})}`) },
      { weight: 1, arbitrary: fc.tuple(plain, plain).map(([a, b]) => a + b) },
    ),
    simple: fc
      .tuple(
        fc.option(fc.constantFrom('v=1 ', 'v="a b" ', 'v=$(p3) ', 'LANG=C '), { nil: '', freq: 5 }),
        name,
        fc.array(tie('word'), { maxLength: 3 }),
        fc.option(
          fc.constantFrom(
            '> o1',
            '>> o2',
            '2>&1',
            '2> /dev/null',
            '< f1',
            '>| o3',
            '&> o4',
            '<<< "h $(p2 here)"',
            '> "o 5"',
            '3> o6',
            '> >(p3)',
          ),
          { nil: '', freq: 3 },
        ),
      )
      .map((parts) => `${parts[0]}${[parts[1], ...parts[2], parts[3]].filter(Boolean).join(' ')}`),
    command: fc.oneof(
      { weight: 12, arbitrary: tie('simple') },
      { weight: 1, arbitrary: tie('list').map((inner) => `(${inner})`) },
      { weight: 1, arbitrary: tie('list').map((inner) => `{ ${inner}; }`) },
      { weight: 1, arbitrary: fc.tuple(tie('list'), tie('list')).map(([a, b]) => `if ${a}; then ${b}; fi`) },
      { weight: 1, arbitrary: fc.tuple(plain, tie('list')).map(([a, b]) => `for v in ${a} z; do ${b}; done`) },
      {
        weight: 1,
        arbitrary: fc.tuple(tie('word'), tie('list')).map(([a, b]) => `case ${a} in a|"b") ${b};; *) p1 d;; esac`),
      },
      { weight: 1, arbitrary: tie('list').map((inner) => `while ${inner}; do break; done`) },
      { weight: 1, arbitrary: tie('list').map((inner) => `f() { ${inner}; }; f`) },
      { weight: 1, arbitrary: tie('word').map((inner) => `v=${inner}`) },
      { weight: 1, arbitrary: tie('word').map((inner) => `[[ -n ${inner} ]]`) },
      { weight: 1, arbitrary: tie('simple').map((inner) => `! ${inner}`) },
      { weight: 1, arbitrary: tie('simple').map((inner) => `eval '${inner.replaceAll("'", "'\\''")}'`) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(tie('word'), fc.constantFrom('E', "'E'", '"E"', '\\E'))
          .map(([inner, end]) => `p1 <<${end}\n${inner}\n$(p2 in)\nE\n`),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom('cd d', 'cd d && p1 > o7', '(cd d; p2 > o8)', 'cd .. ', 'u=a', 'unset u'),
      },
    ),
    list: fc
      .tuple(
        tie('command'),
        fc.array(fc.tuple(fc.constantFrom('; ', ' && ', ' || ', ' | ', '\n', ' & ', ' |& '), tie('command')), {
          maxLength: 2,
        }),
      )
      .map(
        ([first, rest]) =>
          first +
          rest
            .map(([operator, next]) => (first.endsWith('\n') && operator !== '\n' ? `\n${next}` : operator + next))
            .join(''),
      ),
    script: fc.tuple(tie('list'), fc.constantFrom('', ' # comment', '\n')).map((parts) => parts.join('')),
  }),
);

interface Ran {
  started: string[][];
  written: string[];
}

/** Really runs it, in a separate folder, where only recorders can be found. */
function runForReal(command: string): { ran: Ran; cwd: string } {
  const folder = mkdtempSync(join(base, 'run-'));
  const cwd = join(folder, 'cwd');
  mkdirSync(join(cwd, 'd'), { recursive: true });
  writeFileSync(join(cwd, 'f1'), 'text');
  const record = join(folder, 'record');
  mkdirSync(record);
  // A function that calls itself in a pipeline would start shells without end.
  const env = { PATH: join(base, 'bin'), RECORD: record, HOME: join(folder, 'home'), FUNCNEST: '20' };
  const options = { cwd, env, timeout: 20_000, input: '', detached: true };
  const before = tree(folder);
  // Whatever is still running in the background ends before the folder is looked at.
  const bash = ['--norc', '--noprofile', '-c', 'eval -- "$1"; wait', 'bash', command];
  const { pid } = spawnSync('/bin/bash', bash, options);
  endGroup(pid);
  // What is still running in the background may not have noted itself to the end.
  const records = readdirSync(record).map((file) => readFileSync(join(record, file), 'utf8'));
  const started = records.filter((text) => text.endsWith('\x1e')).map((text) => text.slice(0, -1).split('\x1f'));
  const written = tree(folder).filter((path) => !path.startsWith(record) && !before.includes(path));
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  } catch {
    // A background process still writes there. The folder of the whole run is removed at the end.
  }
  return { ran: { started, written }, cwd };
}

/** Kills the processes that a run left: it led its own group. */
function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // usually nothing is left
  }
}

const tree = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());

const commandsIn = (effects: readonly Effect[]): CommandEffect[] =>
  effects.filter((effect) => effect.kind === 'command');
const isUnderstood = (effects: readonly Effect[]): boolean => effects.every(({ kind }) => kind !== 'unknown');

/** Whether the words could have become these: null means any number of words. */
function couldBe(words: readonly (string | null)[], argv: readonly string[]): boolean {
  const [word, ...rest] = words;
  if (word === undefined) return argv.length === 0;
  if (word !== null) return argv[0] === word && couldBe(rest, argv.slice(1));
  return Array.from({ length: argv.length + 1 }, (_, count) => count).some((count) => couldBe(rest, argv.slice(count)));
}

function covers(effects: readonly Effect[], path: string): boolean {
  const writes = effects.filter((effect): effect is FileEffect => effect.kind === 'file' && effect.access === 'write');
  return writes.some((effect) => effect.path === path || effect.unresolved !== undefined);
}

test('every program that starts and every file that is written is listed, or the command counts as unknown', async () => {
  await fc.assert(
    fc.asyncProperty(script, async (command) => {
      const { ran, cwd } = runForReal(command);
      const effects = await analyzer.effects(command, { cwd, home: resolve(cwd, '../home') });
      if (!isUnderstood(effects)) return;
      const listed = commandsIn(effects).map(({ argv, words }) => argv ?? words ?? []);
      const missing = ran.started.filter((argv) => !listed.some((words) => couldBe(words, argv)));
      expect(missing, JSON.stringify({ command, listed })).toEqual([]);
      expect(
        ran.written.filter((path) => !covers(effects, path)),
        JSON.stringify({ command, effects }),
      ).toEqual([]);
    }),
    { numRuns: runs },
  );
});

test('every command that another parser sees is listed, or the whole counts as unknown', async ({ skip }) => {
  if (treeSitter === undefined) return skip(parserModule.missing);
  const parser = treeSitter;
  await fc.assert(
    fc.asyncProperty(script, async (command) => {
      const parsed = parser.parse(command);
      if (parsed === null || parsed.rootNode.hasError) return;
      const effects = await analyzer.effects(command, { cwd: '/project', home: '/home/me' });
      if (!isUnderstood(effects)) return;
      const names = new Set(commandsIn(effects).map(({ text }) => text.split(' ')[0]));
      const seen = namesIn(parsed.rootNode).filter((each) => /^p\d$/.test(each));
      expect(
        seen.filter((each) => !names.has(each)),
        command,
      ).toEqual([]);
      parsed.delete();
    }),
    { numRuns: runs * 10 },
  );
});

const namesIn = (node: Node): string[] => [
  ...(node.type === 'command_name' ? [node.text] : []),
  ...node.namedChildren.flatMap((child) => (child ? namesIn(child) : [])),
];

// Real programs with the options that have been used to get past such lists, among ordinary ones.
const program = fc.constantFrom(
  'ls',
  'cat',
  'head',
  'tail',
  'wc',
  'sort',
  'uniq',
  'cut',
  'tr',
  'grep',
  'find',
  'sed',
  'awk',
  'diff',
  'git',
  'od',
  'base64',
  'nl',
  'tac',
  'paste',
  'comm',
  'stat',
  'file',
  'du',
  'date',
  'seq',
  'test',
  'printf',
  'echo',
  'xargs',
  'env',
  'timeout',
  'nice',
  'bash',
  'sh',
  'tee',
  'jq',
  'tree',
  'split',
  'tar',
  'dd',
  'xxd',
  'read',
  'eval',
  'command',
);
const argument = fc.constantFrom(
  ...[
    '-o',
    'new',
    '-onew',
    '--output=new',
    '--output',
    '-i',
    '-n',
    '-c',
    '-r',
    '-1',
    '-w',
    '-k1',
    '-t:',
    '-delete',
    '-fprint',
    '-exec',
    'touch',
    ';',
    '+',
    '{}',
    '-fls',
    '-name',
    '*',
    'a.txt',
    'b.txt',
    'd',
    '.',
  ],
  ...[
    'w new',
    '1w new',
    's/a/b/w new',
    's/t/touch new/e',
    'p',
    '1,2p',
    '$!N',
    's/a/b/',
    '{print > "new"}',
    '{print}',
    '{system("touch new")}',
    'BEGIN{print|"touch new"}',
    '{print $1,\n$2 > "new"}',
    'NR>1',
  ],
  ...[
    'touch new',
    'ls; touch new',
    'of=new',
    'if=a.txt',
    '-T',
    '--compress-program=touch',
    '-S1',
    '-e',
    '-f',
    'log',
    'diff',
    'status',
    'branch',
    'new',
    'tag',
    '--',
    '-v',
    '-x',
    '-l',
    '-a',
    '5',
    '1',
    '-s',
    '-p',
    '-I{}',
    '-0',
    'A=1',
    'x',
    '-d',
    '-u',
    '%s',
    '--in-place',
    '-Onew',
    'init',
    'cf',
    '-C',
    '--no-index',
    '--stat',
  ],
);

test('a command that is judged harmless changes no file when it really runs', async () => {
  let ran = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(program, fc.array(argument, { maxLength: 4 })), { minLength: 1, maxLength: 2 }),
      async (parts) => {
        const command = parts.map(([first, rest]) => [first, ...rest.map((word) => `'${word}'`)].join(' ')).join(' | ');
        const cwd = mkdtempSync(join(base, 'real-'));
        writeFileSync(join(cwd, 'a.txt'), 'text\ntouch new\n');
        writeFileSync(join(cwd, 'b.txt'), 'a b\nc d\n');
        mkdirSync(join(cwd, 'd'));
        const effects = await analyzer.effects(command, { cwd, home: '/nonexistent' });
        const harmless = effects.every((effect) => {
          if (effect.kind === 'command') return effect.harmless;
          return (
            effect.kind === 'session' ||
            (effect.kind === 'file' && effect.access === 'read' && effect.unresolved === undefined)
          );
        });
        if (!harmless) return;
        ran += 1;
        const before = snapshot(cwd);
        const env = { PATH: process.env['PATH'], GIT_CEILING_DIRECTORIES: base, HOME: '/nonexistent' };
        const options = { cwd, env, input: '', timeout: 5_000, detached: true };
        endGroup(spawnSync('/bin/bash', ['--norc', '--noprofile', '-c', command], options).pid);
        expect(snapshot(cwd), command).toEqual(before);
        rmSync(cwd, { recursive: true, force: true });
      },
    ),
    { numRuns: runs * 10 },
  );
  expect(ran).toBeGreaterThan(runs / 10); // otherwise the test proves nothing
});

const snapshot = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((path) => {
      const file = statSync(join(folder, path));
      return `${path} ${file.isFile() ? readFileSync(join(folder, path), 'utf8') : ''}`;
    });
