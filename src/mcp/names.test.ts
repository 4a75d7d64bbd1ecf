import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRule } from '../permissions/parse-rule.js';
import { toolTable } from '../tools/index.js';
import { serverParts, toolNames } from './names.js';

const tools = toolTable();

const VALID = /^[a-zA-Z0-9_-]{1,64}$/;

test('plain names stay as they are', () => {
  expect(serverParts(['github', 'my-db']).get('my-db')).toBe('my-db');
  expect(toolNames('github', ['get_issue']).get('get_issue')).toBe('mcp__github__get_issue');
});

test('other characters become underscores', () => {
  expect(serverParts(['claude.ai Drive']).get('claude.ai Drive')).toBe('claude_ai_Drive');
  expect(toolNames('a', ['x/y z']).get('x/y z')).toBe('mcp__a__x_y_z');
});

test('a server with that exact name keeps it, and one whose name would become it gets another', () => {
  const names = toolNames('a', ['x y', 'x_y']);
  expect(names.get('x_y')).toBe('mcp__a__x_y');
  expect(names.get('x y')).toMatch(/^mcp__a__x_y_[0-9a-f]{8}$/);
});

test('a server part never contains the separator', () => {
  for (const name of ['a__b', '_a', 'a_', '__', '', '/']) {
    const part = serverParts([name, 'a', 'a_b']).get(name) ?? '';
    expect(part).not.toMatch(/__|^_|_$/);
    expect(['a', 'a_b']).not.toContain(part);
  }
});

test('every tool gets a unique name that providers accept', () => {
  const odd = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a', 'a b', 'a_b', 'a__b', 'x'.repeat(80), ''));
  fc.assert(
    fc.property(fc.uniqueArray(odd, { maxLength: 6 }), fc.uniqueArray(odd, { maxLength: 6 }), (servers, tools) => {
      const parts = serverParts(servers);
      const names = servers.flatMap((server) => [...toolNames(parts.get(server) ?? '', tools).values()]);
      expect(names).toHaveLength(servers.length * tools.length);
      expect(new Set(names).size).toBe(names.length);
      for (const name of names) expect(name).toMatch(VALID);
    }),
  );
});

test('the name of a tool does not depend on the order of the tools', () => {
  const names = ['b c', 'b_c', 'd'];
  expect([...toolNames('a', names)].sort()).toEqual([...toolNames('a', names.toReversed())].sort());
});

test('a rule that denies a server or a tool by its own name matches, whatever they are called', () => {
  const word = fc.string({
    unit: fc.constantFrom('a', 'B', '.', ' ', '/', 'é', '-', '_'),
    minLength: 1,
    maxLength: 40,
  });
  const name = word.filter((text) => !/^\s|\s$|^_+$|_$/.test(text));
  const anchors = { source: [], project: [], home: [], realName: (path: string) => path };
  const denies = (text: string, tool: string): boolean => {
    const subject = parseRule(text, { list: 'deny', source: { file: 'f' }, anchors, tools }).rule?.subject;
    return subject?.kind === 'tool' && subject.isTool(tool);
  };
  fc.assert(
    fc.property(
      fc.uniqueArray(name, { minLength: 1, maxLength: 4 }),
      fc.uniqueArray(name, { minLength: 1, maxLength: 4 }),
      (servers, tools) => {
        for (const [server, part] of serverParts(servers)) {
          for (const [tool, full] of toolNames(part, tools)) {
            expect([server, tool, denies(`mcp__${server}`, full), denies(`mcp__${server}__${tool}`, full)]).toEqual([
              server,
              tool,
              true,
              true,
            ]);
          }
        }
      },
    ),
  );
});
