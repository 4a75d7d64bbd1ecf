import { expect, test } from 'vitest';
import { tomlCommand } from './toml-command.js';

test('a command of Gemini becomes one of Helve', () => {
  const toml = [
    '# comment',
    'description = "Says \\"hi\\""',
    'prompt = """',
    'Cost: $1 and {{args}}.',
    'Diff: !{git diff {{args}}}',
    'See @{docs/a.md}.\\',
    '   Joined',
    '"""',
  ].join('\n');
  expect(tomlCommand(toml)).toEqual({
    text: '---\ndescription: "Says \\"hi\\""\n---\nCost: \\$1 and $ARGUMENTS.\nDiff:  !`git diff $ARGUMENTS`\nSee @docs/a.md.Joined\n',
  });
});

test.each([
  ["prompt = '''a \"b\" \\n'''", { text: 'a "b" \\n' }],
  ["prompt = 'x' # why", { text: 'x' }],
  ['prompt = "\\u00e9"', { text: 'é' }],
  ['description = "x"', { problem: 'it has no text "prompt"' }],
  ['prompt = "x', { problem: 'line 1: the text has no end' }],
  ['prompt = 5', { problem: 'line 1: only texts are understood here' }],
  ['\n[table]\nprompt = "x"', { problem: 'line 2: expected a key and a text, as in prompt = "…"' }],
  ['prompt = "x"\nprompt = "y"', { problem: 'line 2: "prompt" is there twice' }],
  ['prompt = "\\q"', { problem: 'line 1: there is no escape \\q' }],
  ['prompt = "!{ls"', { problem: '"!{" in its prompt has no closing brace' }],
])('%j', (toml, expected) => {
  expect(tomlCommand(toml)).toEqual(expected);
});
