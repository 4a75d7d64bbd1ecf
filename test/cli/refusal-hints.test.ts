import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, runHelve } from './run-helve.js';

/** A folder with a script that makes one call, and what -p says of it on standard error. */
async function hintAfter(call: object, args: readonly string[] = []): Promise<string> {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'script.json'), JSON.stringify({ turns: [{ calls: [call] }, { text: 'Done.' }] }));
  return (await runHelve(['-p', 'go', '--model', 'scripted/script.json', ...args], { cwd })).stderr;
}

const make = { name: 'Bash', input: { command: 'make all' } };
const hook = {
  hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'echo no >&2; exit 2' }] }] },
};

test.each([
  ['where there is no rule', make, []],
  ['in the mode that denies what would be asked', make, ['--permission-mode', 'dontAsk']],
])('-p names the flag that would allow a denied call %s', async (_, call, args) => {
  expect(await hintAfter(call, args)).toContain(
    "helve: a call was denied (Bash). helve audit show last says why. To allow it, add:\n  --allowed-tools 'Bash(make all)'\n",
  );
});

test.each([
  ['in plan mode', make, ['--permission-mode', 'plan']],
  ["after a hook's deny", make, ['--settings', JSON.stringify(hook)]],
  ['after a rule that denies', make, ['--disallowed-tools', 'Bash(make:*)']],
  ['on a protected path', { name: 'Write', input: { file_path: '.git/config', content: '' } }, []],
])('-p names no flag for a denied call %s', async (_, call, args) => {
  const told = await hintAfter(call, args);
  expect(told).toContain('helve audit show last says why.\n');
  expect(told).not.toContain('To allow');
});

test('-p names the mode that would allow a denied edit', async () => {
  const write = { name: 'Write', input: { file_path: 'a.txt', content: 'x' } };
  expect(await hintAfter(write)).toContain(
    'helve: a call was denied (Write). helve audit show last says why. To allow it, add:\n  --permission-mode acceptEdits\n',
  );
});

test.each([
  ['Write', '{"file_path": ".git/config", "content": ""}'],
  ['Bash', '{"command": "make all", "dangerouslyDisableSandbox": true}'],
  ['Bash', '{"command": "rm -rf /"}'],
])('helve call %s %s says that no rule can allow it', async (tool, input) => {
  const { code, stderr } = await runHelve(['call', tool, input]);
  expect(code).toBe(1);
  expect(stderr).toBe(
    'helve: this command cannot ask for permission. No rule can allow it; helve permissions explain says why.\n',
  );
});

test('a refusal says what is known of the command when no one can be asked', async () => {
  const cwd = await emptyFolder();
  const input = JSON.stringify({ command: 'ls -l --made-up' });
  const { stdout } = await runHelve(['call', 'Bash', input], { cwd });
  expect(JSON.parse(stdout).content).toContain(
    'it runs the command "ls -l --made-up" (the option --made-up is not known to be harmless), and no one can be asked here',
  );
});

test.each([
  ['find . -name x -delete', [], /it removes what it finds in \S+, which is or holds the project, and no one/],
  ['kill 1234', [], /"kill 1234" \(it sends a signal to processes, which may end them\)/],
  ['cargo --version', [], /\(a file of the project may choose which program it starts\)/],
  ['touch /srv/zz', ['acceptEdits'], /"touch \/srv\/zz", which writes \/srv\/zz outside the project, and no one/],
  ['rm /srv/zz', ['acceptEdits'], /"rm \/srv\/zz", which removes \/srv\/zz outside the project, and no one/],
  ['echo a > /srv/zz', ['acceptEdits'], /it writes \/srv\/zz, which is outside the project, and no one/],
])('the reason for asking about %s names its effects', async (command, [mode = 'default'], reason) => {
  const args = ['call', 'Bash', JSON.stringify({ command }), '--permission-mode', mode];
  const { stdout } = await runHelve(args, { cwd: await emptyFolder() });
  expect(JSON.parse(stdout).content).toMatch(reason);
});

test.each(['npm ls', 'npm ls zod', 'npm ls @types/node --depth=0'])(
  '%s needs no question where it is confined, and its explanation does not contradict itself',
  async (command) => {
    const args = ['permissions', 'explain', '--walls', 'full', 'Bash', JSON.stringify({ command })];
    const { stdout } = await runHelve(args);
    expect(stdout).toMatch(/^Allowed: /);
    expect(stdout).toContain(`runs ${command}: needs no question only if it runs read-only and offline`);
    expect(stdout).not.toContain('not known');
  },
);

test('refuses an unknown value of HELVE_WALLS', async () => {
  const run = await runHelve(['call', 'Think', '{"thought": "x"}'], { env: { HELVE_WALLS: 'bogus' } });
  expect(run).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('HELVE_WALLS takes full (the default) or none'),
  });
});
