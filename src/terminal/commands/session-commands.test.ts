import { execFileSync } from 'node:child_process';
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SessionStore } from '../../agent/store/session-store.js';
import { temporaryProject } from '../../testing/temporary-project.js';
import { bashTool } from '../../tools/bash/bash.js';
import { writeTool } from '../../tools/write.js';
import type { CommandAnswer, CommandSession } from '../contract.js';
import { Theme } from '../screen/theme.js';
import { pastPrompts } from '../session/past-prompts.js';
import { diffLines } from '../views/changes-view.js';
import { runCommand } from './index.js';
import { testSession } from './test-session.js';

async function run(line: string, session: CommandSession): Promise<CommandAnswer> {
  const [name = '', ...args] = line.split(' ');
  return await runCommand({ name, args: args.join(' ') }, session);
}

const linesOf = (answer: CommandAnswer): string[] =>
  answer.type === 'sections' ? answer.sections.flatMap(({ title, lines }) => [title, ...lines]) : [];

test('status names the version, the model, the mode, the session and the files', async () => {
  const session = await testSession();
  const lines = linesOf(await run('status', session)).join('\n');
  for (const part of ['Helve 1.2.3', 'fake/model', 'asks before', session.root, session.id, session.dataFolder]) {
    expect(lines).toContain(part);
  }
});

test('diff shows what the conversation has changed, from before to now', async () => {
  const project = await temporaryProject({ 'a.txt': 'before\n' });
  const { id, root, dataFolder } = project.engine.session;
  const session = await testSession({ id, root, cwd: root, dataFolder });
  expect(await run('diff', session)).toMatchObject({ type: 'text' });
  await project.run(writeTool, { file_path: 'b.txt', content: 'made\n' });
  expect(await run('diff', session)).toMatchObject({
    type: 'diffs',
    title: 'Changes of this conversation: 1 file',
    files: [{ path: 'b.txt', patch: expect.stringContaining('\n+made') }],
  });
});

test('diff says what happened to what has no patch, and counts folders apart', async () => {
  const project = await temporaryProject({
    'old/a.txt': 'one\ntwo\n',
    'old/deep/b.txt': 'three\n',
    'moved.txt': 'the same words\n',
    'empty.txt': '',
    'run.sh': 'true\n',
    to: 'x\n',
  });
  const { id, root, dataFolder } = project.engine.session;
  symlinkSync('to', join(root, 'link'));
  const session = await testSession({ id, root, cwd: root, dataFolder });
  const command =
    'rm -r old empty.txt; mv moved.txt kept.txt; chmod 755 run.sh; ln -sfn run.sh link; mkdir made; touch none.txt; printf "a\\0b" > data.bin';
  await project.run(bashTool, { command });
  const answer = await run('diff', session);
  if (answer.type !== 'diffs') throw new Error(answer.type);
  expect(answer.title).toBe('Changes of this conversation: 8 files, 2 folders');
  expect(answer.files.map(({ path, what }) => `${path}: ${what}`)).toEqual([
    'data.bin: new, not text: 3 bytes now, nothing before',
    'empty.txt: deleted, empty',
    'kept.txt: moved from moved.txt',
    'link: a link to run.sh, before to to',
    'made/: new, empty',
    'none.txt: new, empty',
    'old/: deleted, with 2 files',
    'run.sh: mode 755, before 644',
  ]);
  const theme = new Theme({ name: 'none', depth: 'basic' });
  const drawn = answer.files.flatMap((file) => diffLines(theme, file, 60));
  expect(drawn.join('\n')).toContain('old/  deleted, with 2 files  -3\n  a.txt  -2\n  deep/b.txt  -1');
});

test('diff git names what has no patch', async () => {
  const project = await temporaryProject({ 'moved.txt': 'a\nb\nc\n', 'run.sh': 'true\n', 'gone/a.txt': '1\n' });
  const { id, root, dataFolder } = project.engine.session;
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a', ...args]);
  execFileSync('git', ['init', '--quiet', root]);
  git('add', '.');
  git('commit', '--quiet', '-m', 'one');
  git('mv', 'moved.txt', 'größe.txt');
  git('rm', '--quiet', '-r', 'gone');
  chmodSync(join(root, 'run.sh'), 0o755);
  writeFileSync(join(root, 'data.bin'), Buffer.from([0, 1, 2]));
  git('add', '.');
  const answer = await run('diff git', await testSession({ id, root, cwd: root, dataFolder }));
  expect(answer.type === 'diffs' && answer.files.map(({ path, what }) => `${path}: ${what}`)).toEqual([
    'data.bin: new, not text',
    'gone/a.txt: deleted',
    'größe.txt: moved from moved.txt',
    'run.sh: mode 755, before 644',
  ]);
});

test('diff says in its own words why there is nothing to compare with', async () => {
  const project = await temporaryProject({ 'a.txt': 'before\n' });
  const { id, root, dataFolder } = project.engine.session;
  const session = await testSession({ id, root, cwd: root, dataFolder });
  const isNone = 'there is no commit to compare with: this folder is not a git repository.';
  expect(await run('diff', session)).toEqual({
    type: 'text',
    text: `No change of this conversation is in the files now, and ${isNone}`,
  });
  expect(await run('diff git', session)).toEqual({ type: 'text', text: `T${isNone.slice(1)}` });
  execFileSync('git', ['init', '--quiet', root]);
  expect(await run('diff git', session)).toMatchObject({ text: expect.stringContaining('has no commit yet') });
});

test('copy says that there is nothing yet, and how it has copied', async () => {
  expect(await run('copy', await testSession())).toMatchObject({ type: 'problem' });
  const session = await testSession({ lastAnswer: () => 'one\ntwo' });
  expect(await run('copy', session)).toEqual({
    type: 'text',
    text: 'Copied the last answer, 2 lines, with a test.',
  });
  expect(session.done).toEqual(['copy one\ntwo']);
});

test('effort is changed for the running conversation, also by its setting', async () => {
  const session = await testSession();
  expect(await run('effort', session)).toMatchObject({
    type: 'choose',
    items: [{ value: 'low' }, { value: 'high' }, { value: 'default', isCurrent: true }],
  });
  expect(await run('effort high', session)).toMatchObject({
    text: expect.stringContaining('from the next request on'),
  });
  expect(await run('effort max', session)).toMatchObject({
    text: expect.stringContaining('gets the nearest of these'),
  });
  expect(await run('effort hihg', session)).toMatchObject({ type: 'problem' });
  expect(await run('config effort low', session)).toMatchObject({ text: expect.stringContaining('next request') });
  expect(session.done).toEqual(['effort high', 'effort max', 'effort low']);
});

test('memory lists the instruction files in use, and edits one', async () => {
  const session = await testSession();
  const file = join(session.root, 'AGENTS.md');
  writeFileSync(file, '# Rules\n');
  const answer = await run('memory', session);
  expect(answer).toMatchObject({ type: 'choose', items: [{ value: file, group: 'In use' }, {}, {}] });
  if (answer.type === 'choose') await answer.choose(file);
  expect(session.done).toEqual([`edit ${file}`, expect.stringMatching(/^remind .*AGENTS\.md/)]);
});

test('rename changes the name of the conversation', async () => {
  const session = await testSession();
  expect(await run('rename  the   parser', session)).toMatchObject({ text: expect.stringContaining('"the parser"') });
  expect(await run('rename', session)).toMatchObject({
    type: 'ask',
    title: expect.stringContaining('the first prompt'),
  });
  expect(session.done).toEqual(['rename the parser']);
});

test('skills and tools say where each comes from', async () => {
  const skill = { name: 'x', kind: 'skill' as const, description: 'does x', argumentHint: '', file: '.helve/skills/x' };
  const session = await testSession({ commands: async () => [skill] });
  expect(linesOf(await run('skills', session))).toEqual(['Skills', '  /x  does x', '      from .helve/skills/x']);
  expect(linesOf(await run('tools', session))).toEqual(['Built in', '  Tool']);
  expect(await run('hooks', session)).toMatchObject({ type: 'text', text: expect.stringContaining('No hooks') });
});

test('tools and agent types are listed by their sentence for people, else by the first of their description', async () => {
  const description = 'Put it to the user. If not, you learn why.';
  const inputSchema = { type: 'object' as const };
  const session = await testSession({
    tools: [
      { name: 'Ours', about: 'Presents it for your approval.', description, inputSchema },
      { name: 'mcp__web__theirs', description, inputSchema },
    ],
    agentTypes: async () => [
      { name: 'ours', about: 'Works on any task.', description },
      { name: 'theirs', description, file: '.helve/agents/theirs.md' },
    ],
  });
  expect(linesOf(await run('tools', session))).toEqual([
    'Built in',
    '  Ours              Presents it for your approval.',
    'MCP server web',
    '  mcp__web__theirs  Put it to the user.',
  ]);
  const answer = await run('agents', session);
  expect(answer).toMatchObject({ type: 'text', text: expect.stringMatching(/ours +Works on any task\.$/m) });
  expect(answer).toMatchObject({
    text: expect.stringMatching(/theirs +Put it to the user\. \(\.helve\/agents\/theirs\.md\)$/m),
  });
});

test('review is a prompt, unless the user has a command of that name', async () => {
  expect(await run('review', await testSession())).toMatchObject({ type: 'prompt', text: '/review' });
  const own = { name: 'review', kind: 'command' as const, description: 'mine', argumentHint: '' };
  const session = await testSession({ commands: async () => [own] });
  expect(await run('review', session)).toEqual({ type: 'prompt', text: '/review' });
});

test.each([
  ['statsu', 'Did you mean /status?'],
  ['perm', 'Did you mean /permissions?'],
  ['frobnicate', '/help lists all commands.'],
  ['plugins', '/help lists all commands.'],
])('/%s: %s', async (typed, words) => {
  expect(await run(typed, await testSession())).toMatchObject({ text: expect.stringContaining(words) });
});

test('undo after a rewind that left the files offers all that was changed since, and then its reversal', async () => {
  const project = await temporaryProject();
  const { id, root, dataFolder } = project.engine.session;
  const store = new SessionStore({ dataFolder, id, root, model: 'x' });
  await store.open();
  for (const name of ['a', 'b', 'c']) {
    store.prompt([{ type: 'text', text: `make ${name}` }]);
    await store.flushed();
    await project.run(writeTool, { file_path: `${name}.txt`, content: 'made\n' });
  }
  const [, second] = pastPrompts({ dataFolder, id });
  if (!second) throw new Error('There are three prompts.');
  const other = '0f0f0f0f-0000-4000-8000-000000000001';
  const session = await testSession({
    id: other,
    rewoundFrom: [{ id, prompt: second }],
    root,
    cwd: root,
    dataFolder,
  });
  const answer = await run('undo', session);
  expect(answer).toMatchObject({
    title: 'Undo the file changes that /rewind has left?',
    changes: [{ title: 'remove b.txt' }, { title: 'remove c.txt' }],
    items: [{ key: 'y', description: 'since “make b”: 2 calls, 2 files' }, { key: 'n' }],
  });
  if (answer.type !== 'choose') throw new Error('It is a question.');
  await answer.choose('yes');
  expect(await run('undo', session)).toMatchObject({ title: 'Reverse the last undo?' });
});

test('model without a model offers the providers, whose keys are then asked for', async () => {
  const session = await testSession();
  const asked = await run('model', session);
  if (asked.type !== 'choose') throw new Error(JSON.stringify(asked));
  const anthropic = asked.items.find(({ value }) => value === 'key: anthropic');
  expect(anthropic).toMatchObject({ group: 'With an API key', description: 'ANTHROPIC_API_KEY' });
  expect(await asked.choose('key: anthropic')).toMatchObject({ type: 'ask', isSecret: true });
});

test('rewind marks prompts that changed files', async () => {
  const project = await temporaryProject();
  const { id, root, dataFolder } = project.engine.session;
  const store = new SessionStore({ dataFolder, id, root, model: 'x' });
  await store.open();
  store.prompt([{ type: 'text', text: 'make b' }]);
  await store.flushed();
  await project.run(writeTool, { file_path: 'b.txt', content: 'made\n' });
  const session = await testSession({ id, root, cwd: root, dataFolder, prompts: pastPrompts({ dataFolder, id }) });
  expect(await run('rewind', session)).toMatchObject({
    items: [{ label: 'make b', description: expect.stringContaining('changed 1 file') }],
  });
});

test('permissions adds and removes rules by choice', async () => {
  const session = await testSession();
  const answer = await run('permissions', session);
  if (answer.type !== 'choose') throw new Error('It is a list.');
  const asked = await answer.choose('add deny');
  if (asked.type !== 'ask') throw new Error('It asks for the rule.');
  expect(await asked.answer('Bash(rm *)')).toMatchObject({ text: expect.stringContaining('was written') });
  expect(await asked.answer('Nothing(')).toMatchObject({ type: 'problem' });
  expect(await answer.choose('mode')).toMatchObject({ type: 'choose', title: 'Which mode?' });
});
