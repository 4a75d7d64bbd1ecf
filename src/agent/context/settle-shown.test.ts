// Lines that a hook removes from a result do not count as seen by the model.
import { expect, onTestFinished, test } from 'vitest';
import type { FullEngine } from '../../compose/create-engine.js';
import type { HookOutput } from '../../contract/hook.js';
import type { HookCallbacks } from '../../contract/options.js';
import { temporaryProject } from '../../testing/temporary-project.js';

const TEXT = 'first line of it\nsecond line of it\nthird line of it\n';

const replacedBy = (text: string, matcher = 'Read|Bash|Grep'): HookCallbacks => {
  const output: HookOutput = { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: text } };
  return { PostToolUse: [{ matcher, hooks: [() => output] }] };
};

type Call = (name: string, input: Record<string, unknown>) => Promise<string>;

async function engineWith(hooks: HookCallbacks): Promise<{ engine: FullEngine; call: Call }> {
  const { engine, remove } = await temporaryProject({ 'f.txt': TEXT }, { hooks });
  onTestFinished(remove);
  let count = 0;
  const call: Call = async (name, input) => {
    count += 1;
    const [result] = await engine.runCalls([{ id: `call_${count}`, name, input }]);
    return `${result?.is_error ? 'refused: ' : ''}${JSON.stringify(result?.content)}`;
  };
  return { engine, call };
}

const write = { file_path: 'f.txt', content: 'new\n' };
const edit = (old_string: string) => ({ file_path: 'f.txt', old_string, new_string: 'new' });

test.each<[string, Record<string, unknown>]>([
  ['Read', { file_path: 'f.txt' }],
  ['Bash', { command: 'cat f.txt' }],
  ['Grep', { pattern: 'line', output_mode: 'content' }],
])('a result of %s that a hook replaced does not count as showing a file', async (name, input) => {
  const { call } = await engineWith(replacedBy('REDACTED'));
  expect(await call(name, input)).toContain('REDACTED');
  expect(await call('Write', write)).toMatch(/^refused: .*has not been read/);
  expect(await call('Edit', edit('second'))).toMatch(/^refused: .*has not been read/);
});

test('only lines that the replaced text still shows count as seen', async () => {
  const { call } = await engineWith(replacedBy('     1\tfirst line of it\n     2\t[left out]\n'));
  await call('Read', { file_path: 'f.txt' });
  expect(await call('Write', write)).toMatch(/^refused: /);
  expect(await call('Edit', edit('first line of it'))).not.toMatch(/^refused/);
});

test('lines seen before a result was replaced stay seen, and written content counts as known', async () => {
  const { call } = await engineWith(replacedBy('done', 'Bash|Write'));
  await call('Read', { file_path: 'f.txt' });
  expect(await call('Bash', { command: 'cat f.txt' })).toContain('done');
  expect(await call('Write', write)).not.toMatch(/^refused/);
  expect(await call('Write', { ...write, content: 'again\n' })).not.toMatch(/^refused/);
});

test('two calls of one message that show parts of a file show both parts', async () => {
  const { engine, call } = await engineWith({});
  const part = (offset: number, limit: number) => ({ file_path: 'f.txt', offset, limit });
  await engine.runCalls([
    { id: 'a', name: 'Read', input: part(1, 2) },
    { id: 'b', name: 'Read', input: part(3, 1) },
  ]);
  expect(await call('Write', write)).not.toMatch(/^refused/);
});

test('a page whose first result was replaced is shown when it is read again', async () => {
  let isFirst = true;
  const replaced: HookOutput = { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: 'REDACTED' } };
  const hooks: HookCallbacks = {
    PostToolUse: [
      {
        matcher: 'Read',
        hooks: [
          () => {
            const isReplaced = isFirst;
            isFirst = false;
            return isReplaced ? replaced : undefined;
          },
        ],
      },
    ],
  };
  const { call } = await engineWith(hooks);
  await call('Write', { file_path: 'long.txt', content: TEXT.repeat(100) });
  expect(await call('Read', { file_path: 'long.txt' })).toContain('REDACTED');
  expect(await call('Read', { file_path: 'long.txt' })).toContain('third line of it');
});
