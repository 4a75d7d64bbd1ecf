import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ToolRanking } from './tool-search-ranking.js';

const tool = (name: string, description: string, parameters: string[] = []) => ({ name, description, parameters });

const tools = [
  tool('mcp__github__create_issue', 'Create a new issue in a repository.', ['owner', 'repo', 'title']),
  tool('mcp__github__list_issues', 'List the issues of a repository.', ['owner', 'repo', 'state']),
  tool('mcp__slack__postMessage', 'Send a message to a channel.', ['channel', 'text']),
  tool('mcp__db__query', 'Run a statement of SQL and get the rows.', ['statement']),
  tool('NotebookEdit', 'Change one cell of a Jupyter notebook.', ['notebook_path']),
];

const best = (query: string): string | undefined => new ToolRanking().search(query, tools)[0]?.name;

test.each([
  ['create issue', 'mcp__github__create_issue'],
  ['list the open issues', 'mcp__github__list_issues'],
  ['send a message to slack', 'mcp__slack__postMessage'],
  ['post message', 'mcp__slack__postMessage'],
  ['sql', 'mcp__db__query'],
  ['jupyter', 'NotebookEdit'],
  ['query', 'mcp__db__query'],
  ['owner state', 'mcp__github__list_issues'],
  ['notebook', 'NotebookEdit'],
  ['repos +list', 'mcp__github__list_issues'],
])('"%s" finds %s first', (query, name) => {
  expect(best(query)).toBe(name);
});

test('a word with a plus must be in the name', () => {
  const found = new ToolRanking().search('+github message repository', tools).map(({ name }) => name);
  expect(found.every((name) => name.includes('github'))).toBe(true);
});

test('stop words find nothing', () => {
  expect(best('the of a')).toBeUndefined();
  expect(best('zebra')).toBeUndefined();
});

test('a changed description is indexed again', () => {
  const ranking = new ToolRanking();
  ranking.search('zebra', tools);
  const changed = [tool('mcp__db__query', 'Counts zebras.')];
  expect(ranking.search('zebra', changed)).toEqual(changed);
});

test('any query returns tools of the list, each once, and an exact name returns that tool first', () => {
  const ranking = new ToolRanking();
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(tools.length - 1), (query, index) => {
      const found = ranking.search(query, tools);
      expect(new Set(found).size).toBe(found.length);
      expect(tools).toEqual(expect.arrayContaining(found));
      const { name = '' } = tools[index] ?? {};
      expect(ranking.search(name, tools)[0]?.name).toBe(name);
    }),
  );
});
