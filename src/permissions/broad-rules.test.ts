import { expect, test } from 'vitest';
import { toolTable } from '../tools/index.js';
import { whyTooBroad } from './broad-rules.js';

const broad = [
  ...['Bash', 'Bash()', 'Bash(*)', 'Bash(:*)', 'Bash(* --version)', 'Bash(git:*)', 'Bash(npm run:*)', 'Bash(sh:*)'],
  ...['Bash(curl https://x.example)', 'Bash(rm -rf build)', 'Bash(git push:*)', 'Bash(mytool:*)', 'Bash(gi* log)'],
  ...['Write', 'Edit', 'Read', 'Write(**)', 'Edit(/etc/**)', 'Edit(~/**)', 'Edit(../x)', 'Edit(./*)', 'MultiEdit'],
  ...['WebFetch', 'WebFetch(domain:*.com)', 'mcp__x', 'mcp__x__*', '*', '', 'no rule at all'],
];
const narrow = [
  ...['Bash(git diff:*)', 'Bash(git log *)', 'Bash(npm run test:*)', 'Bash(git status)', 'Bash(./check.sh)'],
  ...['Edit(docs/**)', 'Write(./src/generated/*.ts)', 'Read(docs/a.md)', 'WebFetch(domain:docs.example)'],
  ...['mcp__x__list', 'TodoWrite', 'Skill(report)', 'Task', 'WebSearch'],
];

test.each(broad)('the rule %j is too broad for anyone but a person, and says why', (rule) => {
  expect(whyTooBroad(rule, toolTable())).toMatch(/^(?:it |commands |\w+ runs)/);
});

test.each(narrow)('the rule %j is not too broad', (rule) => {
  expect(whyTooBroad(rule, toolTable())).toBeUndefined();
});
