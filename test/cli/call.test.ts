import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { emptyFolder, fileAppears, isRunning, jsonLines, runHelve } from './run-helve.js';

const bypass = ['--permission-mode', 'bypassPermissions'];

test('runs one call and prints its tool_result as JSON', async () => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'a.txt'), 'one\ntwo\n');
  const run = await runHelve(['call', 'Read', '{"file_path":"a.txt"}'], { cwd });
  expect({ ...run, stdout: JSON.parse(run.stdout) }).toEqual({
    code: 0,
    signal: null,
    stderr: '',
    stdout: { type: 'tool_result', tool_use_id: 'call_1', content: '1\tone\n2\ttwo' },
  });
});

test('takes plain words in place of JSON, and prints text with --text', async () => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'a b.txt'), 'one\ntwo\nthree\n');
  expect(await runHelve(['call', '--text', 'read', 'a b.txt', '--', '--limit', '2'], { cwd })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^1\tone\n2\ttwo\n/),
  });
  const shell = await runHelve(['call', '--text', ...bypass, 'Bash', 'echo "a  b" | tr a-z A-Z'], { cwd });
  expect(shell).toMatchObject({ code: 0, stdout: 'A  B\n' });
  expect(await runHelve(['call', '--text', 'Read', 'missing.txt'], { cwd })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^helve: missing\.txt does not exist/),
  });
});

test('prints the output of a command that failed, and then its exit code, with --text', async () => {
  const lines = Array.from({ length: 200 }, (_, index) => `line ${index + 1}`).join('\n');
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'lines'), `${lines}\n`);
  const run = await runHelve(['call', '--text', ...bypass, 'Bash', 'cat lines; exit 3'], { cwd });
  expect(run).toMatchObject({ code: 1, stdout: `${lines}\n`, stderr: 'helve: Exit code 3\n' });
});

test('names the flag that would allow a command', async () => {
  const { stderr } = await runHelve(['call', 'Bash', 'git push']);
  expect(stderr).toContain("To allow it, add: --allowed-tools 'Bash(git push)'\n");
});

test('exits 1 when the call failed, with the failure as the result', async () => {
  const run = await runHelve(['call', 'Read', '{"file_path":"missing.txt"}']);
  expect(run.code).toBe(1);
  expect(JSON.parse(run.stdout)).toMatchObject({ is_error: true, content: expect.stringContaining('missing.txt') });
});

test('denies a write when no one can be asked, and says how to allow it', async () => {
  const cwd = await emptyFolder();
  const run = await runHelve(['call', 'Write', '{"file_path":"a.txt","content":"x"}'], { cwd });
  expect(run.code).toBe(1);
  expect(JSON.parse(run.stdout).content).toContain('no one can be asked here');
  expect(run.stderr).toBe(
    'helve: this command cannot ask for permission. To allow it, add: --permission-mode acceptEdits\n',
  );
  await expect(readFile(join(cwd, 'a.txt'))).rejects.toThrow('ENOENT');
});

test.each([
  [['call'], 'The tool and its input are missing. Use helve call TOOL with words or JSON'],
  [['call', 'Read'], 'Read: file_path is missing.\nUsage: Read FILE-PATH [--offset N]'],
  [['call', 'Read', '{}', 'extra'], 'Unexpected argument: extra. Use helve call TOOL with words or JSON'],
  [['call', 'Raed', 'a.txt'], 'There is no built-in tool "Raed". Did you mean Read?'],
  [['call', '--text', '--json', 'LS'], '--json and --text contradict each other'],
  [['call', '--text', '--stdin'], '--stdin writes JSON lines, so it does not go with --text'],
  [['permissions', 'explain'], 'The tool and its input are missing. Use helve permissions explain TOOL'],
  [['permissions', 'explain', 'Read'], 'Read: file_path is missing.'],
  [['permissions', 'explain', 'Read', '{}', 'a', 'b'], 'Unexpected arguments: a b. Use helve permissions explain TOOL'],
  [['call', 'Read', '{"file_path":'], 'The input of Read is not valid JSON'],
  [['call', 'Read', '[1]'], 'The input of Read must be a JSON object'],
  [['call', '--stdin', 'Read'], '--stdin takes its calls from standard input'],
  [['call', '--stdni'], 'There is no option --stdni here. Did you mean --stdin?'],
  [
    ['call', '--permission-mode', 'yolo', 'Read', '{}'],
    '--permission-mode takes default, acceptEdits, plan, dontAsk, bypassPermissions, but was "yolo"',
  ],
  [
    ['call', 'LS', '{}', '--permission-mode', 'plan', '--dangerously-skip-permissions'],
    '--dangerously-skip-permissions and --permission-mode plan contradict each other',
  ],
  [
    ['call', 'LS', '{}', '--permission-mode', 'acceptedit'],
    '--permission-mode takes default, acceptEdits, plan, dontAsk, bypassPermissions, but was "acceptedit". Did you mean acceptEdits?',
  ],
  [
    ['permissions', 'list', '--permission-mode', 'plna'],
    '--permission-mode takes default, acceptEdits, plan, dontAsk, bypassPermissions, but was "plna". Did you mean plan?',
  ],
  [
    ['permissions', 'explain', 'Read', '{}', '--walls', 'ful'],
    '--walls takes full or none, but was "ful". Did you mean full?',
  ],
  [['-p', 'hi', '--effort', 'hihg'], '--effort takes none, low, medium, high, max, but was "hihg". Did you mean high?'],
  [
    ['-p', 'hi', '--output-format', 'jsno'],
    '--output-format takes text, json, stream-json, but was "jsno". Did you mean json?',
  ],
  [['sessions', 'export', 'last', '--format', 'htm'], '--format takes md or html, but was "htm". Did you mean html?'],
  [
    ['mcp', 'add', 'x', '--scope', 'usr', '--', 'true'],
    '--scope takes local, project, user, but was "usr". Did you mean user?',
  ],
  [
    ['what is this'],
    'A conversation needs a terminal, but standard input is not one. To send a prompt without one, use helve -p "…".',
  ],
  [['what', 'is', 'this'], 'A conversation needs a terminal, but standard input is not one.'],
  [['--model', 'opus'], 'To run a prompt, use helve -p "…"; a conversation needs a terminal.'],
  [['toString'], 'There is no command "toString"'],
  [['call', 'LS', '{}', '--add-dir', '/nowhere'], '--add-dir takes a folder, but there is none at "/nowhere"'],
  [['tools', 'extra'], 'helve tools takes no argument such as "extra"'],
  [['tols'], 'There is no command "tols". Did you mean "helve tools"?'],
  [['--output-format', 'json'], 'To run a prompt, use helve -p'],
  [['-p'], 'There is no prompt'],
  [['-p', 'hi', '--max-turns', '0'], '--max-turns takes a whole number above 0, but was "0"'],
  [['-p', 'hi', '--output-format', 'xml'], '--output-format takes text, json, stream-json, but was "xml"'],
  [['-p', 'hi', 'there'], '-p takes one prompt, but there are 2'],
  [['-p', 'hi'], 'No model is set up: set ANTHROPIC_API_KEY'],
  [['-p', 'hi', '--model', 'nonsense'], '"nonsense" names no model'],
])('wrong usage %j gives exit 2, a sentence, and nothing on standard output', async (args, sentence) => {
  const run = await runHelve(args);
  expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`helve: ${sentence}`) });
});

test('input without an argument is not ignored: the error says how to send it as a prompt', async () => {
  const run = await runHelve([], { input: 'hi\n' });
  expect(run).toMatchObject({ code: 2, stdout: '' });
  expect(run.stderr).toMatch(
    /^helve: A conversation needs a terminal, but standard input is not one\. To send the input as a prompt, use helve -p\./,
  );
});

test('refuses the mode bypassPermissions to root outside of a sandbox', async ({ skip }) => {
  if (process.getuid?.() !== 0) skip('only root is refused');
  const run = await runHelve(['call', 'Read', '{"file_path":"x"}', ...bypass], { env: { IS_SANDBOX: '0' } });
  expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('is refused to root') });
});

test('answers a stream of lines in order, in one session, so that a Read counts for the Edit after it', async () => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'a.txt'), 'one\n');
  const input = [
    { id: 1, tool: 'Read', input: { file_path: 'a.txt' } },
    { id: 'two', tool: 'Edit', input: { file_path: 'a.txt', old_string: 'one', new_string: 'eins' } },
    { tool: 'Bash', input: { command: 'mkdir -p sub && cd sub && pwd' } },
    { id: 4, tool: 'Bash', input: { command: 'basename "$PWD"' } },
  ];
  const run = await runHelve(['call', '--stdin', ...bypass], {
    cwd,
    input: input.map((line) => JSON.stringify(line)).join('\n'),
  });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  const answers = jsonLines(run.stdout);
  expect(answers.map(({ id, tool, is_error }) => [id, tool, is_error])).toEqual([
    [1, 'Read', false],
    ['two', 'Edit', false],
    [null, 'Bash', false],
    [4, 'Bash', false],
  ]);
  expect(answers[3]?.['content']).toBe('sub');
  expect(Object.keys(answers[0] ?? {})).toEqual(['id', 'tool', 'content', 'is_error']);
  expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('eins\n');
});

test('answers a bad line with its id, or null if it has none, and continues', async () => {
  const input =
    'not json\n\n[1]\n{"id":7}\n{"id":8,"tool":"Think","input":5}\n{"id":9,"tool":"Think","input":{"thought":"a\u2028b"}}\n';
  const run = await runHelve(['call', '--stdin'], { input });
  expect(run.code).toBe(1);
  const answers = jsonLines(run.stdout);
  expect(answers.map(({ id, is_error }) => [id, is_error])).toEqual([
    [null, true],
    [null, true],
    [7, true],
    [8, true],
    [9, false],
  ]);
  expect(answers[0]?.['content']).toContain('Line 1 was not run: it is not valid JSON');
  expect(answers[2]?.['content']).toContain('"tool" must name a tool');
});

test('names the key that a line should have', async () => {
  const input =
    '{"id":7,"name":"Think","input":{"thought":"x"}}\n{"id":8,"tool":"Think","arguments":{"thought":"x"}}\n';
  const run = await runHelve(['call', '--stdin'], { input });
  const answers = jsonLines(run.stdout);
  expect(answers.map(({ id }) => id)).toEqual([7, 8]);
  expect(answers[0]?.['content']).toContain('"tool" must name a tool. The line has "name": write "tool" instead');
  expect(answers[1]?.['content']).toContain('The line has "arguments": write "input" instead');
});

test.each([
  ['call', 'content', 'not run'],
  ['permissions explain', 'reason', 'not judged'],
])('helve %s --stdin rejects a line with a misspelt key', async (command, field, outcome) => {
  const input = '{"id":1,"tool":"Read","imput":{"file_path":"a.txt"}}\n';
  const run = await runHelve([...command.split(' '), '--stdin'], { input });
  expect(jsonLines(run.stdout)).toMatchObject([
    {
      id: 1,
      [field]: expect.stringContaining(
        `Line 1 was ${outcome}: it has "imput", which is unknown. Did you mean "input"? A line is one JSON object`,
      ),
    },
  ]);
});

test('rejects a line with a key that has no effect', async () => {
  const input = '{"id":1,"tool":"Think","input":{"thought":"x"},"timeout":5}\n';
  const [answer] = jsonLines((await runHelve(['call', '--stdin'], { input })).stdout);
  expect(answer).toMatchObject({ id: 1, is_error: true });
  expect(answer?.['content']).toContain('Line 1 was not run: it has "timeout", which is unknown. A line is');
});

test('writes ids as they were given, also numbers that JavaScript rounds', async () => {
  const input =
    '{"id":12345678901234567890,"tool":"Think","input":{"thought":"x","id":5}}\n{"id":1.0,"tool":"Nothing"}\n{"id":{"a":1},"tool":5}\n';
  const run = await runHelve(['call', '--stdin'], { input });
  const ids = run.stdout.split('\n').map((line) => /^\{"id":(.*?),"tool"/.exec(line)?.[1]);
  expect(ids).toEqual(['12345678901234567890', '1.0', '{"a":1}', undefined]);
});

test('ends everything that calls left running when the input ends', async () => {
  const run = await runHelve(['call', '--stdin', ...bypass], {
    input: '{"tool":"Bash","input":{"command":"sleep 300 & echo $!"}}\n',
  });
  const pid = Number(/\d+/.exec(String(jsonLines(run.stdout)[0]?.['content']))?.[0]);
  expect(pid).toBeGreaterThan(1);
  expect(isRunning(pid)).toBe(false);
});

test('on SIGTERM ends the running call and its processes, and exits 143', async () => {
  const cwd = await emptyFolder();
  const run = await runHelve(['call', '--stdin', ...bypass], {
    cwd,
    input:
      '{"tool":"Think","input":{"thought":"ready"}}\n{"tool":"Bash","input":{"command":"touch begun; sleep 300"}}\n',
    onStart: (kill) => void fileAppears(cwd, 'begun').then(() => kill('SIGTERM')),
  });
  expect(run.code).toBe(143);
  expect(jsonLines(run.stdout)).toHaveLength(2);
  expect(jsonLines(run.stdout)[1]).toMatchObject({ is_error: true, content: expect.stringContaining('nterrupted') });
});

test('a second signal exits at once and kills processes that ignore the first', async () => {
  const cwd = await emptyFolder();
  const command = "trap '' TERM INT; echo $$ > begun; sleep 300; sleep 300";
  const run = await runHelve(['call', ...bypass, 'Bash', JSON.stringify({ command })], {
    cwd,
    onStart(kill) {
      void fileAppears(cwd, 'begun').then(() => {
        kill('SIGINT');
        kill('SIGTERM');
      });
    },
  });
  expect([130, 143]).toContain(run.code);
  const pid = Number(await readFile(join(cwd, 'begun'), 'utf8'));
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 10_000 });
});

test('a closed output pipe ends the session cleanly', async () => {
  const cwd = await emptyFolder();
  const line = JSON.stringify({ tool: 'Bash', input: { command: 'sleep 300 & echo $! >> pids' } });
  const program = `'${process.execPath}' '${resolve('bin/helve.cjs')}' call --stdin --permission-mode bypassPermissions | head -n 1 > /dev/null`;
  const script = `printf '%s\\n' "$LINE" "$LINE" "$LINE" "$LINE" | ${program}`;
  const env = { PATH: process.env['PATH'], HOME: cwd, IS_SANDBOX: '1', LINE: line };
  await promisify(execFile)('bash', ['-c', script], { cwd, env });
  const pids = (await readFile(join(cwd, 'pids'), 'utf8')).trim().split('\n').map(Number);
  expect(pids.length).toBeGreaterThan(0);
  expect(pids.filter(isRunning)).toEqual([]);
});

test('hides the key of the model from commands, unless it is to be passed', async () => {
  const env = { ANTHROPIC_API_KEY: 'sk-secret', DEEPSEEK_API_KEY: 'sk-other' };
  const print = ['call', ...bypass, 'Bash', '{"command":"echo [$ANTHROPIC_API_KEY$DEEPSEEK_API_KEY]"}'];
  expect(JSON.parse((await runHelve(print, { env })).stdout).content).toBe('[]');
  const passed = await runHelve(print, { env: { ...env, HELVE_PASS_ENV: 'X, ANTHROPIC_API_KEY' } });
  expect(JSON.parse(passed.stdout).content).toBe('[sk-secret]');
});

test('reports an unwritable output and a missing directory in a sentence', async () => {
  const cwd = await emptyFolder();
  const script = `rmdir '${cwd}'; exec '${process.execPath}' '${resolve('bin/helve.cjs')}' call LS '{}'`;
  const failed = await promisify(execFile)('bash', ['-c', script], { cwd }).catch((error) => error);
  expect(failed).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'helve: The working directory no longer exists. Change to another one and try again.\n',
  });
  const full = await promisify(execFile)('bash', [
    '-c',
    `'${process.execPath}' '${resolve('bin/helve.cjs')}' tools > /dev/full`,
  ]).catch((error) => error);
  expect(full).toMatchObject({ code: 1, stderr: expect.stringMatching(/^helve: .*(ENOSPC|no space)/i) });
});

test.each([
  ['--allowed-tools', 'Bash(touch', /"Bash\(touch"/],
  ['--disallowed-tools', 'Bash(touch', /"Bash\(touch"/],
  ['--disallowed-tools', 'Bsh(touch:*)', /Bsh/],
  ['--allowed-tools', 'Bsh(touch:*)', /Bsh/],
])('%s refuses the invalid rule %s', async (flag, rule, named) => {
  const cwd = await emptyFolder();
  const run = await runHelve(['call', 'Bash', '{"command": "touch made"}', flag, rule], { cwd });
  expect(run.code).toBe(2);
  expect(run.stderr).toMatch(named);
  expect(run.stderr).toMatch(/^helve: --(dis)?allowed-tools has a rule that can't be used, so nothing was run: "/);
  expect(run.stderr).not.toContain('ignored');
  expect(existsSync(join(cwd, 'made'))).toBe(false);
});

test('--allowed-tools takes several rules, with blanks inside of parentheses', async () => {
  const cwd = await emptyFolder();
  const rules = 'Read, Bash(touch:*) Bash(npm run build)';
  const run = await runHelve(['call', 'Bash', '{"command": "touch made"}', '--allowed-tools', rules], { cwd });
  expect(run.code).toBe(0);
  expect(existsSync(join(cwd, 'made'))).toBe(true);
});

test.runIf(process.platform === 'linux')(
  'ends each sentence about a data folder that cannot be made once',
  async () => {
    const run = await runHelve(['call', 'Think', '{"thought":"x"}'], { env: { HELVE_HOME: '/proc/helve' } });
    expect(run.stderr).toContain('HELVE_HOME names it. ');
    expect(run.stderr).not.toMatch(/(?<!\.)\.\.(?!\.|\/)/);
  },
);

test('a mistyped parameter is reported with the nearest name', async () => {
  const { code, stdout } = await runHelve(['call', 'Read', '{"file_path": "a", "limt": 3}'], {
    cwd: await emptyFolder(),
  });
  expect(code).toBe(1);
  expect(stdout).toContain('is not a parameter of this tool. Did you mean');
  expect(JSON.parse(stdout).content).toContain('Did you mean "limit"? Nothing was run.');
});
