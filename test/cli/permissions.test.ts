import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { type Case, casesOf, setUp, wrongAnswers } from './permission-corpus.js';
import { emptyFolder, jsonLines, runHelve } from './run-helve.js';

const explainLines = async (lines: readonly unknown[], options: Parameters<typeof runHelve>[1] = {}) => {
  const input = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  const run = await runHelve(['permissions', 'explain', '--stdin'], { ...options, input });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return jsonLines(run.stdout);
};

const asLine = ({ id, cwd, home, settings, mode, tool, input }: Case) => ({
  id,
  cwd,
  home,
  settings: { permissions: settings },
  mode,
  tool,
  input,
});

function expectRight(cases: readonly Case[], answers: ReadonlyArray<Record<string, unknown>>): void {
  expect(answers.map(({ id }) => id)).toEqual(cases.map(({ id }) => id));
  const { falseAllows, falsePrompts, others } = wrongAnswers(cases, answers);
  expect({ falseAllows, others }).toEqual({ falseAllows: [], others: [] });
  const harmless = cases.filter((one) => one.expect === 'allow');
  expect(harmless.length).toBeGreaterThan(10);
  expect(falsePrompts.length / harmless.length, falsePrompts.join('\n')).toBeLessThan(0.02);
}

test('allows no unsafe command of the corpus, and asks about few safe ones', async () => {
  const root = await emptyFolder();
  const [cwd, home] = [join(root, 'project'), join(root, 'home')];
  await setUp([{ file: join(cwd, 'src/a.ts'), content: 'a\n' }, { file: join(cwd, 'a.txt') }, { dir: home }]);
  const cases = casesOf('bash-permissions.jsonl', () => root).map((one) => ({ ...one, cwd, home }));
  expectRight(cases, await explainLines(cases.map(asLine)));
});

test('allows no unsafe call on paths, asks about few safe ones, and reveals no denied file', async () => {
  const root = await emptyFolder();
  const cases = casesOf('path-permissions.jsonl', (index) => join(root, String(index)));
  for (const { setup = [] } of cases) await setUp(setup);
  const answers = await explainLines(cases.map(asLine));
  expectRight(cases, answers);
  const revealed = cases.flatMap(({ id, must_not_reveal = [] }, index) =>
    must_not_reveal.filter((text) => JSON.stringify(answers[index]).includes(text)).map((text) => [id, text]),
  );
  expect(revealed).toEqual([]);
  expect(cases.some(({ must_not_reveal = [] }) => must_not_reveal.length > 0)).toBe(true);
});

test('answers each line in order, and refuses only lines that cannot be judged', async () => {
  const cwd = await emptyFolder();
  const read = { cwd, settings: {}, tool: 'Read', input: { file_path: 'a' } };
  const answers = await explainLines([
    { ...read, id: 1 },
    'no json',
    '',
    '[1]',
    { ...read, id: 'none', tool: undefined },
    { ...read, id: 'unknown', tool: 'Reed' },
    { ...read, id: 'input', input: { path: 5 } },
    { ...read, id: 'mode', mode: 'yolo' },
    { ...read, id: 'cwd', cwd: 7 },
    { ...read, id: 'deny', settings: { permissions: { deny: ['Read('] } } },
    { ...read, id: 'ask', settings: { permissions: { ask: [''] } } },
    { ...read, id: 'lists', settings: { permissions: { deny: 'Read' } } },
    { ...read, id: 'allow', settings: { permissions: { allow: ['Read('] } } },
    { ...read, id: { nested: [2] } },
  ]);
  expect(answers.map(({ id, decision }) => [id, decision])).toEqual([
    [1, 'allow'],
    [null, 'deny'],
    [null, 'deny'],
    ['none', 'deny'],
    ['unknown', 'deny'],
    ['input', 'deny'],
    ['mode', 'deny'],
    ['cwd', 'deny'],
    ['deny', 'deny'],
    ['ask', 'deny'],
    ['lists', 'deny'],
    ['allow', 'allow'],
    [{ nested: [2] }, 'allow'],
  ]);
  expect(answers[1]?.['reason']).toContain('Line 2 was not judged: it is not valid JSON');
  expect(answers[4]?.['reason']).toBe('There is no tool named "Reed". Did you mean "Read"?');
  expect(answers[8]?.['reason']).toContain('no closing parenthesis');
});

test('without settings in the line judges by the files of that folder', async () => {
  const project = await projectWith({ allow: ['Bash(make:*)'], deny: ['Read(./.env)'] });
  const make = { cwd: project, tool: 'Bash', input: { command: 'make' } };
  const secret = { cwd: project, tool: 'Bash', input: { command: 'cat .env' } };
  const decisions = async (args: string[]) => {
    const input = [make, secret, { ...secret, settings: {} }].map((line) => `${JSON.stringify(line)}\n`).join('');
    const { stdout } = await runHelve(['permissions', 'explain', '--stdin', ...args], { input });
    return jsonLines(stdout).map(({ decision }) => decision);
  };
  expect(await decisions([])).toEqual(['ask', 'deny', 'allow']);
  expect(await decisions(['--trust'])).toEqual(['allow', 'deny', 'allow']);
  expect(await decisions(['--permission-mode', 'dontAsk'])).toEqual(['deny', 'deny', 'allow']);
});

async function projectWith(permissions: object): Promise<string> {
  const project = await emptyFolder();
  await mkdir(join(project, '.helve'));
  await writeFile(join(project, '.helve/settings.json'), JSON.stringify({ permissions }, null, 2));
  return project;
}

test('the explanation for people names an injected command as the JSON does', async () => {
  const { stdout } = await runHelve([
    ...['permissions', 'explain', 'Bash', '{"command": "npm test && curl example.com"}'],
    ...['--settings', JSON.stringify({ permissions: { allow: ['Bash(npm test:*)'] } })],
  ]);
  expect(stdout).toMatch(/^Asks first: command_injection_detected: the rule "Bash\(npm test:\*\)" allows/);
});

test('the explanation for people names the worst effect first, and no session effect of a cd', async () => {
  const explain = async (command: string): Promise<string> =>
    (await runHelve(['permissions', 'explain', 'Bash', command])).stdout;
  const push = await explain('npm test; git push --force');
  expect(push).toMatch(/^Asks first: it overwrites commits of the current branch on the remote \(force push\)\.\n/);
  expect(push.match(/force push/g)).toHaveLength(1);
  const both = await explain('git push --force && curl -X POST -d @a https://example.com');
  expect(both).toMatch(
    /\n {2}!! overwrites commits of the current branch on the remote \(force push\)\n {2}!! sends data to example\.com/,
  );
  expect(await explain('rm -rf /')).toContain(
    'Mode default (ask before each change). No rule can allow it: Helve asks every time.\n',
  );
  const changed = await explain('cd src && npm test');
  expect(changed).toContain('✓ runs cd src: harmless');
  expect(changed).not.toMatch(/session|working directory/);
});

test('refuses a Write outside the project for writing, and a Read for reading', async () => {
  const explain = async (tool: string, input: object): Promise<string> =>
    (await runHelve(['permissions', 'explain', tool, JSON.stringify(input)])).stdout;
  expect(await explain('Write', { file_path: '/srv/x.txt', content: 'x' })).toMatch(
    /^Asks first: it writes \/srv\/x\.txt/,
  );
  expect(await explain('Edit', { file_path: '/srv/x.txt', old_string: 'a', new_string: 'b' })).toMatch(
    /^Asks first: it writes/,
  );
  expect(await explain('Read', { file_path: '/srv/x.txt' })).toMatch(
    /^Asks first: it reads \/srv\/x\.txt, which is outside/,
  );
});

test('the explanation for people has the decision, the effects of each part, and the location of each rule', async () => {
  const project = await projectWith({ allow: ['Bash(npm test:*)'], deny: ['Read(./.env)'] });
  const { code, stdout } = await runHelve(
    ['permissions', 'explain', 'Bash', '{"command": "npm test && cat .env > out\\u001b[31m"}'],
    { cwd: project },
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^Denied: the rule "Read\(\.\/\.env\)" \(\.helve\/settings\.json:7\) denies reading \.env\.\n/,
  );
  expect(stdout).toMatch(/^ {2}\? runs npm test: /m);
  expect(stdout).toContain(
    '\n      allow rule Bash(npm test:*) (.helve/settings.json:4), which has no effect: the folder is not trusted\n',
  );
  expect(stdout).toContain('\n      ✗ reads .env: deny rule Read(./.env) (.helve/settings.json:7)\n');
  expect(stdout).toMatch(/^ {6}\? writes out\\u001b\[31m/m);
  expect(stdout).toMatch(/^Mode default \(ask before each change\)\.$/m);
  expect(stdout).not.toContain('\u001b');
});

test('--json prints the explanation for programs', async () => {
  const project = await projectWith({ ask: ['Bash(git push:*)'] });
  const args = ['permissions', 'explain', '--json', 'Bash', '{"command": "git push"}'];
  const { stdout } = await runHelve(args, { cwd: project });
  expect(JSON.parse(stdout)).toMatchObject({
    decision: 'ask',
    tool: 'Bash',
    mode: 'default',
    rules: [
      { rule: 'Bash(git push:*)', list: 'ask', file: '.helve/settings.json', line: 4, counts: true, decided: true },
    ],
    effects: [{ kind: 'command', text: 'git push' }, { kind: 'session' }],
    problems: [],
  });
});

test.each([
  ['Raed', '{}'],
  ['Read', '{"file": 5}'],
])('permissions explain denies the invalid call %s %s, with exit code 2', async (tool, input) => {
  const { code, stdout } = await runHelve(['permissions', 'explain', tool, input]);
  expect(code).toBe(2);
  expect(stdout).toMatch(/^Denied: /);
});

test.each([
  [['explain'], 'Use helve permissions explain TOOL with words or JSON'],
  [['explain', 'Read', '{'], 'is not valid JSON'],
  [['explain', 'Read', '{}', 'more'], 'Use helve'],
  [['explain', '--stdin', 'Read'], 'takes its calls from standard input'],
  [['explain', '--permission-mode', 'yolo', 'Read', '{}'], '--permission-mode takes'],
  [['tset'], 'Did you mean "helve permissions test"?'],
  [['test'], 'takes one file'],
  [['test', 'missing.json'], "can't be read"],
])('permissions %j is wrong usage', async (args, message) => {
  const { code, stderr } = await runHelve(['permissions', ...args]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

const suite = `{
  // what our policy promises
  "settings": { "permissions": { "deny": ["Bash(rm:*)"], "allow": ["Bash(npm test:*)"] } },
  "cwd": "/project",
  "home": "/home/someone",
  "tests": [
    { "name": "tests run", "tool": "Bash", "input": { "command": "npm test" }, "expect": "allow" },
    { "tool": "Bash", "input": { "command": "npm test; rm -rf x" }, "expect": "deny" },
    { "tool": "Write", "input": { "file_path": "a", "content": "" }, "mode": "acceptEdits", "expect": "allow" },
    { "tool": "Bash", "input": { "command": "rm x" }, "settings": {}, "expect": "ask" },
    { "tool": "Bash", "input": { "command": "curl x" }, "expect": "not-allow" },
  ],
}`;

test('runs the tests of a policy', async () => {
  const folder = await emptyFolder();
  await writeFile(join(folder, 'policy.json'), suite);
  const { code, stdout } = await runHelve(['permissions', 'test', 'policy.json'], { cwd: folder });
  expect([code, stdout]).toEqual([0, '5 tests, all pass\n']);
});

test('the examples of the documentation give the documented decisions', async () => {
  const { code, stdout } = await runHelve(['permissions', 'test', resolve('examples/policy-tests.jsonc')]);
  expect([code, stdout]).toEqual([0, '19 tests, all pass\n']);
});

test('names each test that fails, with the reason, and exits with 1', async () => {
  const folder = await emptyFolder();
  const lines = [
    { name: 'reads', tool: 'Read', input: { file_path: 'a' }, settings: {}, expect: 'allow' },
    { name: 'no push', tool: 'Bash', input: { command: 'git push' }, settings: {}, expect: 'deny' },
  ];
  await writeFile(join(folder, 'policy.jsonl'), lines.map((line) => JSON.stringify(line)).join('\n'));
  const run = await runHelve(['permissions', 'test', 'policy.jsonl'], { cwd: folder });
  expect(run.code).toBe(1);
  expect(run.stdout).toBe(
    'no push: expected deny, but the answer is ask. it runs the command "git push"\n2 tests, 1 fail\n',
  );
  const json = await runHelve(['permissions', 'test', '--json', 'policy.jsonl'], { cwd: folder });
  expect(JSON.parse(json.stdout)).toMatchObject({ total: 2, failed: 1, failures: [{ name: 'no push' }] });
});

test.each([
  ['{"tests": [{"tool": "Read", "expect": "allow"}]}', 'policy.json: test 1: "input" is missing.'],
  ['{"tests": []}', 'contains no tests'],
  ['{"tests": [', 'policy.json:1: it is not valid JSON: a closing bracket is missing.'],
  ['{"tests": [{"tool": "Read"}', 'it is not valid JSON: a closing bracket is missing.'],
  ['{"test": [{}]}', 'policy.json: it has "test", which is unknown. Did you mean "tests"?'],
  [
    '{"tests": [{"tool": "Read", "imput": {}, "expect": "allow"}]}',
    'policy.json: test 1: it has "imput", which is unknown. Did you mean "input"? A test is',
  ],
  [
    '{"tool": "Read", "input": {}, "expect": "allow", "setings": {"deny": ["Read"]}}',
    'policy.json:1: it has "setings", which is unknown. Did you mean "settings"?',
  ],
  ['{"tests": 5}', 'policy.json: "tests" must be a list.'],
  [
    '{"tool": "Read", "input": {}, "expect": "alow"}',
    'policy.json:1: "expect" must be one of allow, ask, deny, not-allow.',
  ],
  ['{"tool": "Read", "input": {}, "expect": "allow"}\nnonsense', 'policy.json:2: it must be an object.'],
])('does not run a file of tests that it does not understand: %s', async (text, message) => {
  const folder = await emptyFolder();
  await writeFile(join(folder, 'policy.json'), text);
  const { code, stderr } = await runHelve(['permissions', 'test', 'policy.json'], { cwd: folder });
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test('lists all rules, with their location, and whether they apply', async () => {
  const project = await projectWith({ allow: ['Bash(make:*)'], deny: ['Read(./.env)'] });
  const { code, stdout, stderr } = await runHelve(['permissions', 'list'], { cwd: project });
  expect([code, stdout]).toEqual([
    0,
    'deny   Read(./.env)  .helve/settings.json:7\n' +
      'allow  Bash(make:*)  .helve/settings.json:4, does not count: the folder is not trusted\n' +
      'Mode: default\n',
  ]);
  expect(stderr).toContain('helve config trust');
  const json = await runHelve(['permissions', 'list', '--json', '--trust'], { cwd: project });
  expect(JSON.parse(json.stdout)).toMatchObject({
    mode: 'default',
    trust: 'trusted',
    rules: [
      { list: 'deny', rule: 'Read(./.env)', file: '.helve/settings.json', line: 7, counts: true },
      { list: 'allow', rule: 'Bash(make:*)', file: '.helve/settings.json', line: 4, trusted: true, counts: true },
    ],
    problems: [],
  });
});

test('lists what is wrong with rules, and exits with 1 where helve would not start', async () => {
  const project = await projectWith({ deny: ['Read('] });
  const { code, stderr } = await runHelve(['permissions', 'list'], { cwd: project });
  expect(code).toBe(1);
  expect(stderr).toContain('.helve/settings.json:4');
});

test.each([
  [{ permisions: { deny: ['Read(a)'] } }, '"permisions" is not a setting that helve knows', '"permissions"'],
  [
    { permissions: { deney: ['Read(a)'] } },
    '"permissions.deney" is not a setting that helve knows',
    '"permissions.deny"',
  ],
  [{ permissions: { refuse: ['Read(a)'] } }, '"permissions.refuse" is not a setting that helve knows', 'Remove it.'],
  [{ permissions: { deny: ['Bsh(npm:*)'] } }, '"Bsh(npm:*)" names a tool that does not exist', '"Bash(npm:*)"'],
])('a typo in the settings of a line denies, and is reported: %j', async (settings, what, fix) => {
  const read = { cwd: await emptyFolder(), tool: 'Read', input: { file_path: 'b' } };
  const known = { permissions: { allow: [], defaultMode: 'plan' }, $schema: 'x', env: {}, deny: ['Read(a)'] };
  const [slip, fine] = await explainLines([
    { ...read, id: 1, settings },
    { ...read, id: 2, settings: known },
  ]);
  expect(slip).toMatchObject({ id: 1, decision: 'deny' });
  expect(slip?.['reason']).toContain(what);
  expect(slip?.['reason']).toContain(fix);
  expect(fine).toMatchObject({ id: 2, decision: 'allow' });
});

const slips = [
  ['{"permisions": {"deny": ["Read(a)"]}}', '"permisions" is not a setting that helve knows'],
  ['{"permissions": {"deney": ["Read(a)"]}}', '"permissions.deney" is not a setting that helve knows'],
  ['{"permissions": {"deny": ["Bsh(npm:*)"]}}', '"Bsh(npm:*)" names a tool that does not exist'],
] as const;

test.each(slips)('a policy with a typo is not tested, but reported as at a start: %s', async (policy, sentence) => {
  const folder = await emptyFolder();
  const one = '{"tool": "Read", "input": {"file_path": "b"}, "expect": "allow"';
  await writeFile(join(folder, 'all.json'), `{\n  "settings": ${policy},\n  "tests": [${one}}]\n}\n`);
  await writeFile(join(folder, 'one.json'), `{"tests": [\n${one}, "settings": ${policy}}]}`);
  await writeFile(join(folder, 'lines.jsonl'), `${one}}\n${one}, "settings": ${policy}}\n`);
  const started = await runHelve(['tools', '--settings', policy], { cwd: folder });
  const told = started.stderr.split('\n')[0]?.replace(/^helve: --settings:1:\d+: |^helve: --settings:1: /, '');
  expect(told).toContain(sentence);
  for (const file of ['all.json', 'one.json', 'lines.jsonl']) {
    const { code, stdout, stderr } = await runHelve(['permissions', 'test', file], { cwd: folder });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^helve: ${file}:2:`));
    expect(stderr).toContain(told);
  }
});

test('a call that cannot be judged is reported with all lines of its reason', async () => {
  const folder = await emptyFolder();
  const test = { name: 'no such', tool: 'Raed', input: {}, settings: {}, expect: 'deny' };
  await writeFile(join(folder, 'policy.jsonl'), JSON.stringify(test));
  expect((await runHelve(['permissions', 'test', 'policy.jsonl'], { cwd: folder })).stdout).toBe(
    'no such: could not be judged, which proves nothing. There is no tool named "Raed". Did you mean "Read"?\n1 test, 1 fail\n',
  );
  const { stdout } = await runHelve(['permissions', 'explain', 'Read', '{"file": 3}'], { cwd: folder });
  expect(stdout).toMatch(/^Denied: Read: the input has 2 problems\.\n {2}- "file_path" is required/);
});

test('commands that settings allow in the sandbox are allowed only if --walls says that there is one', async () => {
  const cwd = await emptyFolder();
  const sandbox = { enabled: true, autoAllowBashIfSandboxed: true, excludedCommands: ['docker'] };
  const make = { cwd, settings: { sandbox }, tool: 'Bash', input: { command: 'make' } };
  const answers = await explainLines([
    { ...make, walls: 'full' },
    { ...make, walls: 'none' },
    { ...make, walls: 'full', input: { command: 'docker ps' } },
    { ...make, walls: 'full', settings: { sandbox: { ...sandbox, enabled: false } } },
    { ...make, settings: { sandbox: { enabled: 'yes' } } },
  ]);
  expect(answers.map(({ decision, confinement, sandbox: words }) => [decision, confinement, words])).toEqual([
    ['allow', 'sandbox', 'Runs in the sandbox: no network, writes only in the project.'],
    ['ask', 'approved', 'Runs without a sandbox: none works here.'],
    ['ask', 'approved', 'Runs without a sandbox: settings exclude this command from it.'],
    ['ask', 'approved', 'Runs without a sandbox.'],
    ['deny', undefined, undefined],
  ]);
  expect(answers[4]?.['reason']).toContain('"sandbox.enabled"');
});

test('a policy test may depend on the sandbox, and the explanation says how a command would run', async () => {
  const folder = await emptyFolder();
  await mkdir(join(folder, '.helve'));
  const settings = { sandbox: { enabled: true, autoAllowBashIfSandboxed: true } };
  await writeFile(join(folder, '.helve/settings.json'), JSON.stringify(settings));
  const make = { tool: 'Bash', input: { command: 'make' } };
  const tests = [
    { ...make, settings, walls: 'full', expect: 'allow' },
    { ...make, settings, walls: 'none', expect: 'ask' },
  ];
  await writeFile(join(folder, 'policy.json'), JSON.stringify({ tests }));
  const { stdout } = await runHelve(['permissions', 'test', 'policy.json'], { cwd: folder });
  expect(stdout).toBe('2 tests, all pass\n');
  const explained = async (...args: string[]) =>
    (await runHelve(['permissions', 'explain', 'Bash', '{"command": "make"}', ...args], { cwd: folder })).stdout;
  expect(await explained('--walls', 'full', '--trust')).toContain('It runs in the sandbox');
  expect(await explained('--walls', 'full')).toContain('If you approve it, it runs in the sandbox: no network');
  expect(await explained('--walls', 'full')).toContain('Helve can confine commands here.\n');
  expect(await explained('--walls', 'none')).toContain("Helve can't confine commands here.\n");
});

test('explain and test judge by the rules of flags, as -p does', async () => {
  const explain = async (...args: string[]): Promise<string> =>
    (await runHelve(['permissions', 'explain', 'Bash', '{"command": "make all"}', ...args])).stdout;
  expect(await explain()).toMatch(/^Asks first:/);
  expect(await explain('--allowed-tools', 'Read,Bash(make:*)')).toMatch(
    /^Allowed: the rule "Bash\(make:\*\)" \(the options of this run\)/,
  );
  expect(await explain('--allowedTools', 'Bash', '--disallowed-tools', 'Bash(make all)')).toMatch(/^Denied: /);
  expect(await explain('--dangerously-skip-permissions')).toMatch(/^Allowed: /);
  expect(await runHelve(['permissions', 'list', '--allowed-tools', 'Bash'])).toMatchObject({ code: 2 });
});

test.each(['Edit', 'Edit(*)', 'Write', 'Write(*)'])(
  'the rule %s covers the file that a command of the project redirects its output to',
  async (rule) => {
    const cwd = await emptyFolder();
    const explain = async (command: string): Promise<string> =>
      (
        await runHelve(['permissions', 'explain', 'Bash', JSON.stringify({ command }), '--allowed-tools', rule], {
          cwd,
        })
      ).stdout;
    expect(await explain('echo A >> f')).toMatch(/^Allowed: the rule/);
    expect(await explain('echo A >> sub/f')).toMatch(/^Allowed: the rule/);
    expect(await explain('echo A > /srv/f')).toMatch(/^Asks first: it writes \/srv\/f, which is outside/);
    expect(await explain('echo A > .git/config')).toMatch(/^Asks first: /);
    expect(await explain('make')).toMatch(/^Asks first: /);
  },
);

test('a rule about a file applies to a program on standard input, even in bypassPermissions', async () => {
  const settings = { permissions: { deny: ['Read(.env)', 'Edit(MARK)'] } };
  const commands = [
    "sh -c 'cat .env'",
    "sh <<< 'cat .env'",
    "sh -s <<< 'cat .env'",
    "bash <<'E'\ncat .env\nE",
    "echo 'cat .env' | sh",
    "sh <<< 'touch MARK'",
    'bash <(echo cat .env)',
    'cat x | python3 -',
    "sh <<< 'echo hi'",
    "python3 - <<'E'\nprint(1)\nE",
  ];
  const answers = await explainLines(
    commands.map((command) => ({ tool: 'Bash', input: { command }, mode: 'bypassPermissions', settings })),
  );
  expect(answers.map(({ decision }) => decision)).toEqual([
    ...['deny', 'deny', 'deny', 'deny', 'deny', 'deny'],
    ...['ask', 'ask', 'allow', 'allow'],
  ]);
});
