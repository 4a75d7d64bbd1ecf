import { expect, test } from 'vitest';
import { parseRule } from '../src/permissions/parse-rule.js';
import { toolTable } from '../src/tools/index.js';
import { bracketsOf, type RuleForm, ruleForms } from './fixtures/rule-forms.js';

const tools = toolTable();

const knownTools = ['Bash', 'Edit', 'Grep', 'Read', 'Skill', 'SlashCommand', 'Task', 'Think', 'WebFetch', 'Write'];
const anchors = { source: ['/project'], project: ['/project'], home: ['/home/someone'] };

const asRead = ({ rules }: RuleForm, list: 'allow' | 'deny') =>
  rules.map((text) => parseRule(text, { list, source: { file: 'settings.json' }, anchors, tools, knownTools }));

test.each(ruleForms)('the documented rules $rules deny the calls that the page names', (form) => {
  for (const parsed of asRead(form, 'deny')) {
    expect(parsed).toEqual({ rule: expect.objectContaining({ list: 'deny' }) });
    expect(parsed.rule?.subject.kind).toBe(form.kind);
  }
});

test.each(ruleForms)('the documented rules $rules allow the same calls, unless the page says otherwise', (form) => {
  const allowed = asRead(form, 'allow').map(({ rule }) => rule !== undefined);
  expect(allowed).toEqual(form.rules.map(() => form.neverAllows !== true));
});

test('every rule family with its own syntax in parentheses has a documented example', () => {
  const shown = ruleForms.flatMap(({ rules }) => rules.map((rule) => rule.split('(')[0] ?? ''));
  const families = shown.map((tool) => tools.traits.get(tool)?.family);
  const special = Object.entries(bracketsOf).filter(([, brackets]) => brackets !== '`field:value`');
  expect(special.map(([family]) => family).filter((family) => !families.some((each) => each === family))).toEqual([]);
});
