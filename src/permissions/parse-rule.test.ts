import { expect, test } from 'vitest';
import type { Behavior } from '../contract/permission.js';
import { shortened } from '../platform/text/mcp-names.js';
import { toolTable } from '../tools/index.js';
import { parseRule, parseRules } from './parse-rule.js';
import type { RuleOptions } from './rule.js';

const tools = toolTable();

const options = (list: Behavior, more: Partial<RuleOptions> = {}): RuleOptions => ({
  list,
  source: { file: '.helve/settings.json', line: 14 },
  anchors: { source: ['/p'], project: ['/p'], home: ['/home/me'] },
  tools,
  knownTools: ['Bash', 'Read', 'Edit', 'Write', 'WebFetch', 'Task', 'Skill', 'TodoWrite'],
  ...more,
});

const severity = (text: unknown, list: Behavior) => parseRule(text, options(list)).problem?.severity;

test('reports the location of a broken rule, the problem, its consequence, and what to do', () => {
  expect(parseRule('Bash(npm', options('deny')).problem?.message).toBe(
    '.helve/settings.json:14: "Bash(npm" has no closing parenthesis, so helve will not start: without this deny rule, it would allow too much. Fix or remove it.',
  );
});

test.each<[unknown]>([
  ['Bash(npm:*'],
  ['Bash npm:*)'],
  ['Bash()'],
  ['Bash( )'],
  ['Bash(:*)'],
  ['Bash(npm) x'],
  [''],
  ['Edit(*/../x)'],
  ['WebFetch(example.com)'],
  ['WebFetch(domain:not a host)'],
  ['TodoWrite(x)'],
  ['mcp__github__get(x)'],
  [5],
  [null],
])('%j is ignored as an allow rule, and stops the start as a deny or ask rule', (text) => {
  expect(parseRule(text, options('allow')).rule).toBeUndefined();
  expect(severity(text, 'allow')).toBe('dropped');
  expect(severity(text, 'deny')).toBe('fatal');
  expect(severity(text, 'ask')).toBe('fatal');
});

test.each([['*'], ['B*'], ['mcp__*'], ['mcp__git*__get']])('%s allows nothing, and may deny', (text) => {
  expect(severity(text, 'allow')).toBe('dropped');
  expect(parseRule(text, options('deny')).problem).toBeUndefined();
});

test.each<[string, string, boolean]>([
  ['mcp__github', 'mcp__github__get', true],
  ['mcp__github', 'mcp__github2__get', false],
  ['mcp__github__*', 'mcp__github__get', true],
  ['mcp__github__get_*', 'mcp__github__get_issue', true],
  ['mcp__github__get_*', 'mcp__github__delete', false],
  ['mcp__github__get', 'mcp__github__get_more', false],
  ['Agent', 'Task', true],
  ['KillBash', 'KillShell', true],
  ['BashOutput', 'Bash', false],
])('%s matches %s: %s', (text, tool, expected) => {
  const subject = parseRule(text, options('allow')).rule?.subject;
  expect(subject?.kind === 'tool' && subject.isTool(tool)).toBe(expected);
});

test.each<[string, string, boolean]>([
  ['mcp__my.server', 'mcp__my_server__get', true],
  ['mcp__My Server', 'mcp__my_server__get', true],
  ['MCP__my.server__*', 'mcp__my_server__get', true],
  ['mcp__my..server__do.other', 'mcp__my_server__do_other', true],
  ['mcp__my.server__do other', 'mcp__my_server__do_other', true],
  ['mcp__my.server__do.*', 'mcp__my_server__do_other', true],
  ['mcp__x__DO', 'mcp__x__do', true],
  ['mcp__x__do/it', 'mcp__x__do_it', true],
  ['mcp___x', 'mcp__x__do', true],
  ['mcp__x___do', 'mcp__x__do', true],
  ['mcp__x___do', 'mcp__x___do', true],
  ['mcp__my.server', 'mcp__my_server2__get', false],
  ['mcp__my.server__do', 'mcp__my_server__done', false],
  ['mcp__a__b', 'mcp__a_b__c', false],
  ['mcp__a__b', `mcp__${shortened('a_b', 'a__b', 32)}__c`, true],
  ['mcp__a__b__c', `mcp__${shortened('a_b', 'a__b', 32)}__c`, true],
  ['mcp__a__b__*', `mcp__${shortened('a_b', 'a__b', 32)}__c`, true],
  ['mcp__a__b__d', `mcp__${shortened('a_b', 'a__b', 32)}__c`, false],
  ['mcp__a__b__c', 'mcp__a__b__c', true],
])('ask and deny rules match a server by its own spelling: %s and %s: %s', (text, tool, expected) => {
  for (const list of ['deny', 'ask'] as const) {
    const subject = parseRule(text, options(list)).rule?.subject;
    expect(subject?.kind === 'tool' && subject.isTool(tool)).toBe(expected);
    const some = parseRule(`${text}(path:x)`, options(list)).rule?.subject;
    expect(some?.kind === 'input' && some.isTool(tool)).toBe(expected);
  }
});

test('an allow rule with another spelling of a server gets a warning with the right spelling', () => {
  expect(parseRule('mcp__my.server__do it', options('allow'))).toMatchObject({
    problem: { severity: 'dropped', message: expect.stringContaining('Write "mcp__my_server__do_it".') },
  });
});

test('reports an unknown tool, with the nearest name, and keeps the rule', () => {
  const { rule, problem } = parseRule('Edti', options('deny'));
  expect(rule?.list).toBe('deny');
  expect(problem).toMatchObject({ severity: 'warning', message: expect.stringContaining('Did you mean "Edit"?') });
  expect(parseRule('mcp__later__tool', options('deny')).problem).toBeUndefined();
});

test('a deny rule matches in any letter case', () => {
  expect(parseRule('bash(rm:*)', options('deny')).rule?.subject.kind).toBe('command');
  expect(parseRule('bash(rm:*)', options('allow')).rule?.subject.kind).not.toBe('command');
});

test('only ask and deny rules match a parameter', () => {
  expect(severity('Bash(run_in_background:true)', 'allow')).toBe('dropped');
  expect(parseRule('Bash(run_in_background:true)', options('deny')).rule?.subject.kind).toBe('input');
  expect(parseRule('Bash(timeout:*)', options('allow')).rule?.subject.kind).toBe('command');
  expect(parseRule('Bash(timeout:5000)', options('ask')).rule?.subject.kind).toBe('input');
});

test("a rule that names the tool's usual field applies like the short form, with a notice", () => {
  const { rule, problem } = parseRule('Bash(command:rm *)', options('deny'));
  expect(rule?.subject).toMatchObject({ kind: 'command', pattern: { kind: 'prefix', text: 'rm' } });
  expect(problem).toMatchObject({ severity: 'warning', message: expect.stringContaining('Write "Bash(rm *)".') });
});

test('an exception in a deny rule is ignored, and an exception in an allow rule is asked about', () => {
  expect(parseRule('Read(!public/**)', options('deny'))).toMatchObject({ problem: { severity: 'dropped' } });
  expect(parseRule('Edit(!docs/secret.md)', options('allow'))).toMatchObject({
    rule: { list: 'ask', subject: { kind: 'path', access: 'edit' } },
    problem: { severity: 'warning' },
  });
});

test.each([
  ['Read(*.{pem,key})', 'has braces, which stand for themselves'],
  ['Read(~root/.ssh/**)', "not another user's home folder"],
  ['Read($HOME/.ssh/**)', 'names a variable, which stands for itself'],
  ['Edit(%USERPROFILE%/x)', 'names a variable, which stands for itself'],
  ['Read(/etc/passwd)', 'Write "Read(//etc/passwd)" if the one of the file system is meant.'],
  ['Read(/home/me/.ssh/**)', 'not at the root of the file system'],
])('warns of %s, which is taken literally and applies', (text, expected) => {
  const { rule, problem } = parseRule(text, options('deny'));
  expect(rule?.subject.kind).toBe('path');
  expect(problem).toMatchObject({ severity: 'warning', message: expect.stringContaining(expected) });
});

test.each(['Read(~/.ssh/**)', 'Read(//etc/**)', 'Read(/etcetera/x)', 'Read(a~b)', 'Read(/src/**)', 'Read(cost$)'])(
  'says nothing about %s',
  (text) => {
    expect(severity(text, 'deny')).toBeUndefined();
  },
);

test('one bad rule does not affect the others, and each keeps its line', () => {
  const { list: _, ...rest } = options('allow');
  const lineOf = (list: Behavior, index: number) => ({ allow: 10, ask: 20, deny: 30 })[list] + index;
  const { rules, problems } = parseRules({ allow: ['Bash(', 'Bash(ls:*)'], deny: ['Read(.env)'] }, { ...rest, lineOf });
  expect(rules.map(({ text, source }) => [text, source.line])).toEqual([
    ['Read(.env)', 30],
    ['Bash(ls:*)', 11],
  ]);
  expect(problems.map(({ source, severity: how }) => [source.line, how])).toEqual([[10, 'dropped']]);
});

const fatalEnd = 'so helve will not start: without this deny rule, it would allow too much.';

test.each<[rule: string, meant: string]>([
  ['Bsh(git push:*)', 'Bash(git push:*)'],
  ['Bsh(npm:*)', 'Bash(npm:*)'],
  ['Bassh(npm:*)', 'Bash(npm:*)'],
  ['WebFtech(domain:x.com)', 'WebFetch(domain:x.com)'],
  ['Raed(.env)', 'Read(.env)'],
  ['Bush(rm:*)', 'Bash(rm:*)'],
])('a deny rule with a misspelt tool, %s, is refused with the nearest name', (rule, meant) => {
  expect(parseRule(rule, options('deny')).problem).toMatchObject({
    severity: 'fatal',
    message: `.helve/settings.json:14: "${rule}" names a tool that does not exist, ${fatalEnd} Did you mean "${meant}"?`,
  });
});

test('a bare name that is nearly a tool is a warning, which says that the rule protects nothing', () => {
  const { rule, problem } = parseRule('WebFtech', options('deny'));
  expect(rule).toBeDefined();
  expect(problem).toMatchObject({
    severity: 'warning',
    message:
      '.helve/settings.json:14: "WebFtech" names a tool that does not exist. Did you mean "WebFetch"? It guards nothing now.',
  });
  expect(parseRule('WebFtech', options('allow')).problem?.message).toMatch(/Did you mean "WebFetch"\?$/);
});

test('a tool of other agents is not reported as a typo, nor is a field of an unknown tool', () => {
  expect(parseRule('WebSearch', options('deny', { knownTools: ['ToolSearch'] })).problem?.message).toMatch(
    /names a tool that does not exist\. Check the name, or remove it\.$/,
  );
  expect(severity('Deploy(stage:production)', 'deny')).toBe('warning');
});

test.each([
  ['Task(Explor)', 'Did you mean "Task(Explore)"? It guards nothing now.'],
  ['Agent(Explor)', 'Did you mean "Task(Explore)"? It guards nothing now.'],
  ['Task(subagent_type:Explor)', 'Did you mean "Task(Explore)"? It guards nothing now.'],
  ['Task(deploy)', 'Check the name, or remove it.'],
])('a deny rule with an unknown type of agent, %s, applies and is reported', (text, next) => {
  const { rule, problem } = parseRule(text, options('deny', { knownAgents: () => ['Explore', 'Plan'] }));
  expect(rule?.list).toBe('deny');
  expect(problem).toMatchObject({
    severity: 'warning',
    message: `.helve/settings.json:14: "${text}" names no type of agent that there is. ${next}`,
  });
});

test.each(['Task(Explore)', 'Task(Ex*)', 'Task(*)', 'Task'])('%s is not reported as an unknown agent', (text) => {
  expect(parseRule(text, options('deny', { knownAgents: () => ['Explore'] })).problem).toBeUndefined();
});
