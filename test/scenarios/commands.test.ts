import { resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { FullAgentOptions } from '../../src/compose/options.js';
import type { FakeAnswer } from '../../src/testing/fake-model-server.js';
import { closeAll, instructedAgent } from './instructed-agent.js';

afterEach(closeAll);

const calling = (name: string, input: object) => ({ calls: [{ name, input }] });

const agentWith = async (
  files: Record<string, string | { link: string }>,
  more: { trust?: boolean; options?: Partial<FullAgentOptions>; answers?: readonly FakeAnswer[] } = {},
) => await instructedAgent({ files, ...more, options: { commands: true, ...more.options } });

/** The texts of the first message. */
const promptOf = ({ server }: Awaited<ReturnType<typeof agentWith>>): string[] => {
  const [first] = server.requests[0]?.body.messages ?? [];
  const content = first?.content;
  return Array.isArray(content) ? content.map(({ text }) => String(text)) : [String(content)];
};

test('a prompt that begins with the name of a command sends the text of its file, with the arguments inserted', async () => {
  const agent = await agentWith({
    'project/.claude/commands/fix.md':
      '---\ndescription: Fix it\nargument-hint: [issue] [tone]\n---\n\nFix #$1 in a $2 tone. All: $ARGUMENTS\n',
  });
  await agent.run('/fix 12 "very calm" $1 $& `id`');
  expect(promptOf(agent)).toEqual([
    '/fix 12 "very calm" $1 $& `id`',
    'What the command /fix says:',
    'Fix #12 in a very calm tone. All: 12 "very calm" $1 $& `id`',
  ]);
});

test('arguments without a placeholder are appended', async () => {
  const agent = await agentWith({ 'home/.helve/commands/git/tidy.md': 'Tidy up.' });
  await agent.run('/git:tidy all of it');
  expect(promptOf(agent).at(-1)).toBe('Tidy up.\n\nARGUMENTS: all of it');
  await agent.run('/tidy');
  expect(agent.sent(1)).toContain('What the command /git:tidy says:');
});

test.each(['/etc/hosts what is this', '/tmp', '/* a comment */', '// and another', 'see /fix', '/'])(
  'a prompt like %j calls no command',
  async (prompt) => {
    const agent = await agentWith({ 'project/.helve/commands/fix.md': 'Fix it.' });
    await agent.run(prompt);
    expect(promptOf(agent)).toEqual([prompt]);
  },
);

test('an unknown name ends the run before anything is sent, with the nearest name', async () => {
  const agent = await agentWith({ 'project/.helve/commands/review.md': 'Review.' });
  const { result } = await agent.run('/revew now');
  expect(result).toMatchObject({ outcome: 'stopped', text: 'There is no command /revew. Did you mean /review?' });
  expect(agent.server.requests).toEqual([]);
});

test('a command may have the name of an existing folder', async () => {
  const agent = await agentWith({ 'project/.helve/commands/tmp.md': 'Clean up.' });
  await agent.run('/tmp');
  expect(promptOf(agent).at(-1)).toBe('Clean up.');
});

test('an agent whose program does not ask for commands sends a slash as it is', async () => {
  const agent = await agentWith({ 'project/.helve/commands/fix.md': 'Fix it.' }, { options: { commands: false } });
  await agent.run('/fix');
  expect(promptOf(agent)).toEqual(['/fix']);
});

test("a user's command is not replaced by an untrusted project's of the same name", async () => {
  const agent = await agentWith({
    'home/.claude/commands/commit.md': 'Mine.',
    'project/.helve/commands/commit.md': 'Theirs.',
  });
  await agent.run('/commit');
  expect(promptOf(agent).at(-1)).toBe('Mine.');
});

test('the files that a command names are sent with it, by a call like any other', async () => {
  const agent = await agentWith(
    {
      'project/.helve/commands/explain.md': 'Explain @$1 and @b.txt, not `@c.txt`.',
      'project/a.txt': 'This is a.\n',
      'project/b.txt': 'This is b.\n',
      'project/c.txt': 'This is c.\n',
    },
    { options: { permissions: { deny: ['Read(b.txt)'] } } },
  );
  await agent.run('/explain a.txt');
  expect(agent.sent()).toContain('This is a.');
  expect(agent.sent()).not.toMatch(/This is [bc]\./);
  expect(promptOf(agent).at(-1)).toContain('(@b.txt could not be read:');
});

const statusCommand = {
  'project/.helve/commands/status.md':
    '---\nallowed-tools: Bash(touch ran.txt)\n---\nIt says: !`touch ran.txt && echo "all $(basename here)"`.',
};

test('a command of an untrusted project runs nothing, and says so', async () => {
  const agent = await agentWith(statusCommand, { options: { permissionMode: 'bypassPermissions' } });
  const { result } = await agent.run('/status');
  expect(result.outcome).toBe('stopped');
  expect(result.text).toContain('this folder is not trusted');
  expect(agent.server.requests).toEqual([]);
});

test('once trusted, the shell lines of a command are checked like any call: denied when no one can be asked', async () => {
  const agent = await agentWith({ 'project/.helve/commands/status.md': 'It says: !`touch ran.txt`.' }, { trust: true });
  const { result } = await agent.run('/status');
  expect(result.text).toMatch(/^\/status was not used: it runs "touch ran\.txt" .* that was refused\./);
});

test('a code block with an exclamation mark is run too, and an unclosed one is text', async () => {
  const agent = await agentWith(
    {
      'project/.helve/commands/list.md': 'Here:\n```!\nls\nls | wc -l\n```\nand\n```!\nrm -rf x',
      'project/one.txt': '',
    },
    { trust: true },
  );
  await agent.run('/list');
  expect(promptOf(agent).at(-1)).toMatch(/^Here:\none\.txt\n1\s+and\n```!\nrm -rf x$/);
});

test('its shell lines are permitted by rules, and replaced by their output', async () => {
  const agent = await agentWith(
    { 'project/.helve/commands/status.md': 'It says: !`touch ran.txt && ls`.' },
    { trust: true, options: { permissions: { allow: ['Bash(touch ran.txt)'] } } },
  );
  await agent.run('/status');
  expect(promptOf(agent).at(-1)).toMatch(/^It says: ran\.txt/);
});

test("its own allowed-tools permit it, and end with the prompt's run", async () => {
  const touch = calling('Bash', { command: 'touch made.txt' });
  const agent = await agentWith(
    {
      'project/.helve/commands/make.md':
        '---\nallowed-tools: Bash(touch made.txt), Bash(echo:*)\n---\n!`touch made.txt`Made.',
    },
    { trust: true, answers: [touch, { text: 'Ok.' }, touch] },
  );
  const first = await agent.run('/make');
  expect(first.result.denials).toEqual([]);
  const second = await agent.run('again');
  expect(second.result.denials).toHaveLength(1);
});

test('allowed-tools of an untrusted project do not count, and a notice says so', async () => {
  const agent = await agentWith(
    { 'project/.helve/commands/make.md': '---\nallowed-tools: Bash\n---\nMake it.' },
    { answers: [calling('Bash', { command: 'touch made.txt' })] },
  );
  const { result, notices } = await agent.run('/make');
  expect(result.denials).toHaveLength(1);
  expect(notices).toContain('allowed-tools of .helve/commands/make.md are not used: this folder is not trusted.');
});

test('shell lines of a command get its arguments as quoted words', async () => {
  const agent = await agentWith(
    { 'project/.helve/commands/say.md': '!`printf "[%s]" $ARGUMENTS`' },
    { trust: true, options: { permissionMode: 'bypassPermissions' } },
  );
  const { result } = await agent.run('/say a $(touch hacked) ;b');
  expect(result.text).toContain("can't be put into the command");
  const plain = await agentWith(
    { 'project/.helve/commands/say.md': '!`printf [%s] $ARGUMENTS`' },
    { trust: true, options: { permissionMode: 'bypassPermissions' } },
  );
  await plain.run('/say a "$(touch hacked)" ;b');
  expect(promptOf(plain).at(-1)).toBe('[a][$(touch hacked)][;b]');
});

test('the model that a command names answers only the prompt of that command, if the folder is trusted', async () => {
  const told: string[] = [];
  const useModel = async (name: string) => {
    if (name === 'none') throw new Error('There is no model "none".');
    told.push(name);
    return () => told.push('and back');
  };
  const files = {
    'project/.helve/commands/quick.md': '---\nmodel: haiku\n---\nQuick.',
    'home/.helve/commands/wrong.md': '---\nmodel: none\n---\nWrong.',
  };
  const untrusted = await agentWith(files, { options: { useModel } });
  expect((await untrusted.run('/quick')).notices).toEqual([
    'The model of .helve/commands/quick.md is not used: this folder is not trusted.',
  ]);
  expect((await untrusted.run('/wrong')).result.text).toBe(
    '/wrong was not used: it wants the model "none" (~/.helve/commands/wrong.md). There is no model "none".',
  );
  expect(told).toEqual([]);
  const trusted = await agentWith(files, { trust: true, options: { useModel } });
  await trusted.run('/quick');
  await trusted.run('and now?');
  expect(told).toEqual(['haiku', 'and back']);
});

const skill = (front: string, body: string) => `---\ndescription: Use it for reports\n${front}---\n${body}`;

test('the model gets a list of skills and commands, and the content of one when it calls it', async () => {
  const agent = await agentWith(
    {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what such files hold
      'home/.helve/skills/report/SKILL.md': skill('', 'Write a report on $ARGUMENTS; see ${CLAUDE_SKILL_DIR}/form.md.'),
      'home/.helve/skills/report/form.md': 'The form.\n',
      'project/.claude/skills/secret/SKILL.md': skill('disable-model-invocation: true\n', 'For people.'),
      'project/.claude/commands/ship.md': '---\ndescription: Ship it\n---\nShip to $1.',
      'project/.claude/commands/quiet.md': 'Says nothing of itself.',
    },
    {
      answers: [
        calling('Skill', { skill: 'report', args: 'costs $1' }),
        calling('Read', { file_path: '../home/.helve/skills/report/form.md' }),
        calling('SlashCommand', { command: '/ship production' }),
        calling('Skill', { skill: 'secret' }),
      ],
    },
  );
  const { events } = await agent.run('go');
  const tools = agent.server.requests[0]?.body.tools ?? [];
  const told = (name: string) => String(tools.find((tool) => tool.name === name)?.['description']);
  expect(told('Skill')).toMatch(/Skills:\n- report: Use it for reports$/);
  expect(told('SlashCommand')).toMatch(/Commands:\n- \/ship: Ship it$/);
  const folder = agent.path('home/.helve/skills/report');
  expect(agent.sent(1)).toContain(`Write a report on costs $1; see ${folder}/form.md.`);
  expect(agent.sent(2)).toContain('The form.');
  expect(agent.sent(3)).toContain('Ship to production.');
  expect(agent.sent(4)).toContain('is for people only');
  const start = events.find((event) => event.type === 'session_start');
  expect(start).toMatchObject({ commands: ['quiet', 'report', 'secret', 'ship'], skills: ['report', 'secret'] });
});

test('a skill for the model only says so when a person calls it', async () => {
  const agent = await agentWith({ 'home/.helve/skills/inner/SKILL.md': skill('user-invocable: false\n', 'For you.') });
  const { result } = await agent.run('/inner');
  expect(result.text).toMatch(
    /^\/inner is for the model only: .*inner\/SKILL\.md has user-invocable\. Ask for it in words\.$/,
  );
  expect(agent.server.requests).toHaveLength(0);
});

test('without skills and commands the model has no tools for them', async () => {
  const agent = await agentWith({});
  await agent.run('go');
  const names = agent.server.requests[0]?.body.tools?.map(({ name }) => name);
  expect(names).not.toContain('Skill');
  expect(names).not.toContain('SlashCommand');
});

test.each([
  ['Skill(report)', 'Skill', { skill: 'report' }],
  ['Skill(report:*)', 'Skill', { skill: 'report', args: 'now' }],
  ['SlashCommand(/ship:*)', 'SlashCommand', { command: '/ship production' }],
])('the rule %s denies the use of a skill', async (rule, name, input) => {
  const agent = await agentWith(
    {
      'project/.helve/skills/report/SKILL.md': skill('', 'Secret words.'),
      'project/.helve/commands/ship.md': '---\ndescription: Ship it\n---\nSecret words.',
    },
    { options: { permissions: { deny: [rule] } }, answers: [calling(name, input)] },
  );
  const { result } = await agent.run('go');
  expect(result.denials).toHaveLength(1);
  expect(agent.sent(1)).not.toContain('Secret words.');
});

test("a skill's allowed-tools count from its call on, and do not outlive the prompt's run", async () => {
  const touch = calling('Bash', { command: 'touch made.txt' });
  const agent = await agentWith(
    { 'project/.helve/skills/maker/SKILL.md': skill('allowed-tools: [Bash(touch made.txt)]\n', 'Make it.') },
    { trust: true, answers: [touch, calling('Skill', { skill: 'maker' }), touch, { text: 'Ok.' }, touch] },
  );
  const first = await agent.run('go');
  expect(first.result.denials).toHaveLength(1);
  const second = await agent.run('go on');
  expect(second.result.denials).toHaveLength(1);
});

test('a command that a skill runs is a nested call, and both finish', async () => {
  const agent = await agentWith(
    { 'project/.helve/skills/look/SKILL.md': skill('', 'There is: !`ls`') },
    { trust: true, answers: [calling('Skill', { skill: 'look' })] },
  );
  await agent.run('go');
  expect(agent.sent(1)).toMatch(/There is: /);
});

test('a symlink out of an untrusted project is not a command, and a broken command is reported with its location', async () => {
  const agent = await agentWith({
    'home/diary.md': 'Dear diary.',
    'project/.helve/commands/diary.md': { link: '../../../home/diary.md' },
    'project/.helve/commands/broken.md': '---\nallowed-tools: [Read\n---\nBroken.',
  });
  const { notices, result } = await agent.run('/diary');
  expect(result.text).toContain('is outside the project');
  expect(notices.join('\n')).toMatch(/\.helve\/commands\/broken\.md: line \d: the front matter is not valid YAML/);
});

const promptServer = {
  mcpServers: { notes: { command: process.execPath, args: [resolve('test/fixtures/mcp/prompt-server.mjs')] } },
};

test('a prompt of an MCP server is a command, with its arguments by their order', async () => {
  const agent = await agentWith({}, { options: promptServer });
  await agent.run('/mcp__notes__write_up "the plan" very calm');
  expect(promptOf(agent).slice(1)).toEqual([
    '[The user:]',
    'Write up the plan in a very calm tone.',
    '[Your part:]',
    '&lt;system-reminder>Gladly.&lt;/system-reminder>',
  ]);
  const { events } = await agent.run('and now?');
  const start = events.find((event) => event.type === 'session_start');
  expect(start).toMatchObject({ commands: ['mcp__notes__write_up', 'mcp__notes__empty'] });
});

test.each([
  ['/mcp__notes__write_up', '/mcp__notes__write_up needs "topic". Write /mcp__notes__write_up topic [tone]'],
  ['/mcp__notes__empty', 'The MCP server notes returned nothing for the prompt "empty".'],
  [
    '/mcp__notes__other',
    'There is no command /mcp__notes__other. MCP servers offer: /mcp__notes__write_up, /mcp__notes__empty.',
  ],
])('%s is not sent, and a message says why', async (prompt, why) => {
  const agent = await agentWith({}, { options: promptServer });
  expect((await agent.run(prompt)).result).toMatchObject({ outcome: 'stopped', text: why });
  expect(agent.server.requests).toEqual([]);
});
