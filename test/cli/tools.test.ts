import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, runHelve } from './run-helve.js';

const names = (json: string): string[] => JSON.parse(json).map(({ name }: { name: string }) => name);

test('lists the tools that a conversation here would have', async () => {
  const { code, stdout } = await runHelve(['tools']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Bash +Runs a shell command\.$/m);
});

test('prints each tool with its schema as JSON', async () => {
  const { stdout } = await runHelve(['tools', '--json']);
  expect(names(stdout)).toEqual([
    'Bash',
    'BashOutput',
    'Edit',
    'Glob',
    'Grep',
    'KillShell',
    'LS',
    'MultiEdit',
    'Read',
    'Task',
    'Think',
    'TodoWrite',
    'ToolSearch',
    'WebFetch',
    'Write',
  ]);
  const [bash] = JSON.parse(stdout);
  expect(Object.keys(bash).toSorted()).toEqual([
    'about',
    'description',
    'enabled',
    'exposure',
    'input_schema',
    'name',
    'source',
  ]);
  expect(bash).toMatchObject({
    about: 'Runs a shell command.',
    description: expect.stringMatching(/^Run a command in bash; /),
    source: 'builtin',
    exposure: 'direct',
    enabled: true,
    input_schema: { type: 'object', required: ['command'], additionalProperties: false },
  });
});

test('--all also lists tools that are off here', async () => {
  const { stdout } = await runHelve(['tools', '--json', '--all']);
  expect(names(stdout)).toContain('NotebookEdit');
  expect(JSON.parse(stdout).find(({ name }: { name: string }) => name === 'apply_patch').enabled).toBe(false);
});

test('leaves out the tools that a rule denies outright, and with --all says so', async () => {
  const denied = ['tools', '--json', '--disallowed-tools', 'Bash,NotebookEdit', '--settings'];
  const settings = JSON.stringify({ permissions: { deny: ['WebFetch', 'Read(secret/**)'] } });
  const listed = names((await runHelve([...denied, settings])).stdout);
  expect(listed).toEqual(expect.arrayContaining(['Read', 'Edit']));
  expect(listed.filter((name) => ['Bash', 'WebFetch'].includes(name))).toEqual([]);
  const all = JSON.parse((await runHelve([...denied, settings, '--all'])).stdout);
  expect(
    all.flatMap(({ name, off }: { name: string; off?: string }) => (off === 'a rule denies it' ? [name] : [])),
  ).toEqual(['Bash', 'NotebookEdit', 'WebFetch']);
});

test('offers the tools for commands and skills if there are any, and says why a tool is off', async () => {
  const cwd = await emptyFolder();
  await mkdir(join(cwd, '.claude/skills/report'), { recursive: true });
  await writeFile(join(cwd, '.claude/skills/report/SKILL.md'), '---\ndescription: Write a report\n---\nWrite.');
  const settings = JSON.stringify({ tools: { WebFetch: false } });
  const { stdout } = await runHelve(['tools', '--all', '--settings', settings], { cwd });
  const lineOf = (name: string) => stdout.split('\n').find((line) => line.startsWith(`${name} `));
  expect(lineOf('Skill')).not.toContain('off here');
  expect(lineOf('SlashCommand')).toContain('(off here: no commands are used here)');
  expect(lineOf('WebFetch')).toContain('(off here: switched off by the setting tools.WebFetch)');
  expect(lineOf('MemoryRead')).toContain('(deferred, off here: needs the setting tools.MemoryRead)');
});

test.each<[string[], Record<string, string>]>([
  [['--simple'], {}],
  [[], { HELVE_SIMPLE: '1' }],
])('%j %j offers only the simple set of tools', async (args, env) => {
  expect(names((await runHelve(['tools', '--json', ...args], { env })).stdout)).toEqual(['Bash', 'Edit', 'Read']);
});

test('--profile small offers six tools with few parameters, and says how many tokens they take', async () => {
  const tokensOf = (stdout: string): number =>
    Number(/^A request has .*, about ([\d,]+) tokens\.$/m.exec(stdout)?.[1]?.replace(',', ''));
  const [full, small, json] = await Promise.all([
    runHelve(['tools']),
    runHelve(['tools', '--settings', '{"toolProfile": "small"}']),
    runHelve(['tools', '--profile', 'small', '--json']),
  ]);
  expect(tokensOf(small.stdout)).toBeLessThan(tokensOf(full.stdout) / 4);
  expect(names(json.stdout)).toEqual(['Bash', 'Edit', 'Grep', 'Read', 'ToolSearch', 'Write']);
  const rows: Array<{ name: string; input_schema: { properties: object } }> = JSON.parse(json.stdout);
  expect(rows.map(({ name, input_schema }) => `${name}(${Object.keys(input_schema.properties)})`)).toEqual([
    'Bash(command)',
    'Edit(file_path,old_string,new_string)',
    'Grep(pattern,path,output_mode)',
    'Read(file_path,offset)',
    'ToolSearch(query)',
    'Write(file_path,content)',
  ]);
});

test('every schema is an object that providers accept, and every description says when to use the tool', async () => {
  for (const { name, description, input_schema } of JSON.parse((await runHelve(['tools', '--json', '--all'])).stdout)) {
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    const isGivenAtRunTime = name === 'StructuredOutput';
    expect(input_schema).toMatchObject({ type: 'object', ...(!isGivenAtRunTime && { additionalProperties: false }) });
    expect(description.length).toBeGreaterThan(40);
  }
});

test('tools that are useless without Bash are off with it', async () => {
  for (const args of [
    ['--disallowed-tools', 'Bash'],
    ['--settings', '{"tools": {"Bash": false}}'],
  ]) {
    const { stdout } = await runHelve(['tools', ...args]);
    expect(stdout).not.toMatch(/\b(Bash|BashOutput|KillShell)\b/);
    expect(stdout).toContain('Read');
  }
});
