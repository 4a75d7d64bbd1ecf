// What must hold for every command and every set of rules, through the whole of explain: analysis, rules and engine.
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createExplainer } from '../src/compose/explain-call.js';
import { type Behavior, type PermissionMode, permissionModes } from '../src/contract/permission.js';

interface Lists {
  allow: string[];
  ask: string[];
  deny: string[];
}

const explain = createExplainer();
let root = '';

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'helve-invariants-')));
  for (const folder of ['home', 'project/src']) await mkdir(join(root, folder), { recursive: true });
  for (const file of ['.env', 'a.txt', 'src/a.ts']) await writeFile(join(root, 'project', file), 'x\n');
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

async function decisionOn(command: string, permissions: Lists, mode: PermissionMode = 'default'): Promise<Behavior> {
  const { decision, problems, reason } = await explain({
    tool: 'Bash',
    input: { command },
    cwd: join(root, 'project'),
    home: join(root, 'home'),
    settings: { permissions },
    mode,
  });
  expect(problems.filter(({ severity }) => severity !== 'warning')).toEqual([]); // else the rule was not there at all
  expect(reason).not.toMatch(/can't be (told|determined)/);
  return decision;
}

const strictness: Readonly<Record<Behavior, number>> = { allow: 0, ask: 1, deny: 2 };

const commands = [
  'ls -la',
  'cat a.txt',
  'cat .env',
  'cat "$HOME/.ssh/id_rsa"',
  'grep -rn needle src',
  'git status',
  'git push origin main',
  'npm test',
  'npm run build -- --watch',
  'rm -rf build',
  'rm a.txt',
  'sed -i s/a/b/ a.txt',
  'touch new.txt',
  'cp a.txt ../out',
  'curl -s https://example.com/x',
  'python3 script.py',
  'echo hello > a.txt',
  'A=1 make all',
  '$TOOL --version',
];

const rules = [
  'Bash',
  'Bash(ls:*)',
  'Bash(npm test:*)',
  'Bash(npm run:*)',
  'Bash(npm:*)',
  'Bash(git:*)',
  'Bash(git push:*)',
  'Bash(rm:*)',
  'Bash(rm -rf *)',
  'Bash(make *)',
  'Bash(curl:*)',
  'Bash(python3:*)',
  'Bash(echo:*)',
  'Read(./.env)',
  'Read(src/**)',
  'Read(~/.ssh/**)',
  'Read(//etc/**)',
  'Edit(./a.txt)',
  'Edit(src/**)',
  'Edit',
  'Write',
  'WebFetch(domain:example.com)',
];

const anyCommand = fc.array(fc.constantFrom(...commands), { minLength: 1, maxLength: 4 }).chain((parts) =>
  fc
    .array(fc.constantFrom(' && ', ' ; ', ' | ', ' || ', '\n', ' & '), {
      minLength: parts.length,
      maxLength: parts.length,
    })
    .map((joints) => parts.map((part, index) => `${index === 0 ? '' : joints[index]}${part}`).join('')),
);
const someRules = fc.uniqueArray(fc.constantFrom(...rules), { maxLength: 5 });
const anyLists: fc.Arbitrary<Lists> = fc.record({ allow: someRules, ask: someRules, deny: someRules });
const anyMode = fc.constantFrom(...permissionModes);

test('one more rule that denies or asks never loosens, and one more that allows never tightens', async () => {
  await fc.assert(
    fc.asyncProperty(anyCommand, anyLists, anyMode, fc.constantFrom(...rules), async (command, lists, mode, rule) => {
      const before = strictness[await decisionOn(command, lists, mode)];
      const withRule = (list: keyof Lists) => decisionOn(command, { ...lists, [list]: [...lists[list], rule] }, mode);
      expect(strictness[await withRule('deny')]).toBeGreaterThanOrEqual(before);
      expect(strictness[await withRule('ask')]).toBeGreaterThanOrEqual(before);
      expect(strictness[await withRule('allow')]).toBeLessThanOrEqual(before);
    }),
    { numRuns: 300 },
  );
});

test('the order of rules never changes a decision', async () => {
  const reordered = anyLists.chain((lists) =>
    fc.record({
      lists: fc.constant(lists),
      shuffled: fc.record({
        allow: shuffledOf(lists.allow),
        ask: shuffledOf(lists.ask),
        deny: shuffledOf(lists.deny),
      }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(anyCommand, reordered, anyMode, async (command, { lists, shuffled }, mode) => {
      expect(await decisionOn(command, shuffled, mode)).toBe(await decisionOn(command, lists, mode));
    }),
    { numRuns: 300 },
  );
});

const shuffledOf = (list: string[]): fc.Arbitrary<string[]> =>
  fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length });

test('a call that is not allowed alone is not allowed as part of a larger call', async () => {
  const two = fc.tuple(fc.constantFrom(...commands), fc.constantFrom(...commands));
  await fc.assert(
    fc.asyncProperty(two, anyLists, anyMode, async ([one, other], lists, mode) => {
      const alone = [await decisionOn(one, lists, mode), await decisionOn(other, lists, mode)];
      fc.pre(alone.some((decision) => decision !== 'allow'));
      expect(await decisionOn(`${one}; ${other}`, lists, mode)).not.toBe('allow');
    }),
    { numRuns: 300 },
  );
});

/** `simple`: one command with its words, so that a program can be put before it. */
interface Shape {
  text: string;
  simple: boolean;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const compound =
  (wrap: (text: string) => string) =>
  ({ text }: Shape): Shape => ({ text: wrap(text), simple: false });
/** Puts a program before a command; what is no simple command is given to a shell first. */
const prefixed =
  (prefix: string) =>
  ({ text, simple }: Shape): Shape => ({ text: `${prefix} ${simple ? text : `sh -c ${quoted(text)}`}`, simple: true });

const wraps: Readonly<Record<string, (shape: Shape) => Shape>> = {
  'ls && X': compound((text) => `ls && ${text}`),
  'X && ls': compound((text) => `${text} && ls`),
  'ls; X': compound((text) => `ls; ${text}`),
  'X; ls': compound((text) => `${text}; ls`),
  'ls | X': compound((text) => `ls | ${text}`),
  'X | cat': compound((text) => `${text} | cat`),
  'ls || X': compound((text) => `ls || ${text}`),
  'ls, line break, X': compound((text) => `ls\n${text}`),
  'X &': compound((text) => `${text} &`),
  '! X': compound((text) => `{ ! { ${text}\n}\n}`),
  'echo $(X)': compound((text) => `echo $(${text}\n)`),
  'echo "$(X)"': compound((text) => `echo "$(${text}\n)"`),
  'cat <(X)': compound((text) => `cat <(${text}\n)`),
  'A=$(X)': compound((text) => `A=$(${text}\n)`),
  '{ X; }': compound((text) => `{ ${text}\n}`),
  '( X )': compound((text) => `( ${text}\n)`),
  'f() { X; }; f': compound((text) => `f() { ${text}\n}; f`),
  'if X; then …': compound((text) => `if ${text}\nthen ls; fi`),
  'if …; then X': compound((text) => `if ls; then ${text}\nfi`),
  'for …; do X': compound((text) => `for i in 1 2; do ${text}\ndone`),
  'while X; do …': compound((text) => `while ${text}\ndo ls; done`),
  'case … X': compound((text) => `case a in a) ${text}\n;; esac`),
  'X > /dev/null': compound((text) => `{ ${text}\n} > /dev/null 2>&1`),
  'sh -c': ({ text }) => ({ text: `sh -c ${quoted(text)}`, simple: true }),
  'bash -c': ({ text }) => ({ text: `bash -c ${quoted(text)}`, simple: true }),
  eval: ({ text }) => ({ text: `eval ${quoted(text)}`, simple: false }),
  timeout: prefixed('timeout 5'),
  'timeout -k': prefixed('timeout -k 1 5s'),
  env: prefixed('env A=1'),
  'env -i': prefixed('env -i'),
  nice: prefixed('nice -n 5'),
  nohup: prefixed('nohup'),
  time: prefixed('/usr/bin/time -p'),
  stdbuf: prefixed('stdbuf -oL'),
  setsid: prefixed('setsid'),
  xargs: (shape) => ({ text: `echo | ${prefixed('xargs')(shape).text}`, simple: false }),
  // A placeholder of its own: a script that standard input is put into could be any script.
  'xargs -I': (shape) => ({
    text: `echo a | ${prefixed(`xargs -I{${shape.text.length}}`)(shape).text}`,
    simple: false,
  }),
  command: ({ text, simple }) => (simple ? { text: `env command ${text}`, simple } : { text, simple }),
  'find -exec': (shape) => ({ text: `find . -maxdepth 0 -exec ${prefixed('')(shape).text.trim()} ';'`, simple: true }),
};

const denied: ReadonlyArray<{ text: string; deny: string }> = [
  { text: 'rm -rf build', deny: 'Bash(rm:*)' },
  { text: 'git push origin main', deny: 'Bash(git push:*)' },
  { text: 'curl -s https://example.com', deny: 'Bash(curl:*)' },
  { text: 'cat .env', deny: 'Read(./.env)' },
  { text: 'head -1 .env', deny: 'Read(.env)' },
  { text: 'cp a.txt src/a.ts', deny: 'Edit(./src/**)' },
  { text: 'tee a.txt', deny: 'Edit(./a.txt)' },
  { text: 'ls', deny: 'Bash(ls:*)' },
];

test('a denied command is not allowed however it is split or wrapped, even where everything else is', async () => {
  const names = fc.array(fc.constantFrom(...Object.keys(wraps)), { minLength: 1, maxLength: 3 });
  const generous = fc.constantFrom<[string[], PermissionMode]>(
    [['Bash'], 'default'],
    [['Bash(sh:*)', 'Bash(bash:*)', 'Bash(env:*)', 'Bash(xargs:*)', 'Bash(timeout:*)', 'Bash(find:*)'], 'acceptEdits'],
    [[], 'bypassPermissions'],
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...denied), names, generous, async ({ text, deny }, wrappers, [allow, mode]) => {
      const shape = wrappers.reduce((inner, name) => wraps[name]?.(inner) ?? inner, { text, simple: true });
      expect([shape.text, await decisionOn(shape.text, { allow, ask: [], deny: [deny] }, mode)]).not.toEqual([
        shape.text,
        'allow',
      ]);
    }),
    { numRuns: 1_000 },
  );
});

test.each(Object.keys(wraps))('a denied command is denied in %s', async (name) => {
  for (const { text, deny } of denied) {
    const wrapped = wraps[name]?.({ text, simple: true }).text ?? '';
    const decision = await decisionOn(wrapped, { allow: ['Bash'], ask: [], deny: [deny] });
    // The words that xargs adds become the target of cp, and they are unknown.
    const expected = name === 'xargs' && text.startsWith('cp ') ? 'ask' : 'deny';
    expect([wrapped, decision]).toEqual([wrapped, expected]);
  }
});
