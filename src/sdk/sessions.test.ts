import { expect, onTestFinished, test } from 'vitest';
import type { HookInput } from '../contract/hook.js';
import { scriptedModel } from '../models/scripted.js';
import { createAgent, resumeAgent } from './agent.js';
import { listSessions } from './sessions.js';
import { temporaryProject } from './testing.js';

const saying = (text: string) => scriptedModel({ turns: [{ text }] });

test('a session is resumed only in its own project, and files that the model had read count as read', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\n', 'other/b.txt': '' });
  onTestFinished(() => project.remove());
  const place = { root: project.root, dataFolder: project.path('../data') };
  const read = { turns: [{ calls: [{ name: 'Read', input: { file_path: 'a.txt' } }] }, { text: 'Read.' }] };
  const first = createAgent({ ...place, model: scriptedModel(read), keepSession: true });
  await first.run('Read a.txt.').result;
  await expect(resumeAgent({ ...place, session: first.id, model: saying('') })).rejects.toThrow(
    'is open in this process already',
  );
  await first.end();
  expect(await listSessions(place)).toMatchObject([{ id: first.id, title: 'Read a.txt.', inUse: false }]);

  const elsewhere = { ...place, root: project.path('other') };
  await expect(resumeAgent({ ...elsewhere, session: first.id, model: saying('') })).rejects.toThrow('belongs to');
  await expect(resumeAgent({ ...place, session: 'nobody', model: saying('') })).rejects.toThrow('nobody');

  const agent = await resumeAgent({ ...place, session: 'last', model: saying('Yes.'), permissionMode: 'acceptEdits' });
  expect(agent.messages).toHaveLength(4);
  const edit = { file_path: 'a.txt', old_string: 'one', new_string: 'two' };
  expect(await agent.engine.runCalls([{ id: 'e', name: 'Edit', input: edit }])).not.toMatchObject([{ is_error: true }]);
  expect((await agent.run('Done?').result).text).toBe('Yes.');
  await agent.end();
  expect(await project.text('a.txt')).toBe('two\n');
});

test('hooks receive whether a session is new, resumed or forked, and its model', async () => {
  const project = await temporaryProject();
  onTestFinished(() => project.remove());
  const heard: unknown[] = [];
  const options = {
    model: scriptedModel({ turns: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] }),
    root: project.root,
    dataFolder: project.path('../data'),
    keepSession: true,
    hooks: {
      SessionStart: [{ hooks: [({ source, model }: HookInput<'SessionStart'>) => void heard.push([source, model])] }],
    },
  };
  const first = createAgent(options);
  await first.run('x').result;
  await first.end();
  for (const fork of [false, true]) {
    await using again = await resumeAgent({ ...options, session: first.id, fork });
    await again.run('y').result;
  }
  expect(heard).toEqual([
    ['startup', 'scripted'],
    ['resume', 'scripted'],
    ['fork', 'scripted'],
  ]);
});
