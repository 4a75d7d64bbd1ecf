import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { createEngine } from './engine.js';
import { loadSettings } from './settings.js';
import { temporaryProject } from './testing.js';

async function projectWith(settings: object) {
  const project = await temporaryProject({
    '.helve/settings.json': JSON.stringify(settings),
    'a.txt': 'one\n',
    'home/x': '',
  });
  onTestFinished(() => project.remove());
  const home = project.path('home');
  const env = { HELVE_HOME: project.path('../data'), PATH: process.env['PATH'] };
  return { root: project.root, home, env };
}

test('settings of a project apply only if a program loads them', async () => {
  const place = await projectWith({ permissions: { deny: ['Read(a.txt)'] } });
  const settings = await loadSettings(place);
  expect(settings.problems).toEqual([]);
  const read = [{ id: 'a', name: 'Read', input: { file_path: 'a.txt' } }];
  const [withThem, without] = [createEngine({ ...place, settings }), createEngine(place)];
  const [refused] = await withThem.runCalls(read);
  const [shown] = await without.runCalls(read);
  await Promise.all([withThem.end(), without.end()]);
  expect(refused).toMatchObject({ is_error: true, content: expect.stringContaining('Read(a.txt)') });
  expect(shown).toMatchObject({ content: '1\tone' });
});

test('a settings file cannot turn all questions off', async () => {
  const place = await projectWith({ permissions: { defaultMode: 'bypassPermissions' } });
  const engine = createEngine({ ...place, settings: await loadSettings({ ...place, trust: true }) });
  expect(engine.mode).toBe('default');
  await engine.end();
});

test('logging settings shows no key of the environment', async () => {
  const place = await projectWith({});
  const settings = await loadSettings({ ...place, env: { ...place.env, ANTHROPIC_API_KEY: 'key-of-mine' } });
  expect(inspect(settings, { depth: null, showHidden: true })).not.toContain('key-of-mine');
});

test('settings that were not returned by loadSettings are refused', () => {
  expect(() => createEngine({ settings: { problems: [] } })).toThrow('must be a result of loadSettings');
});
