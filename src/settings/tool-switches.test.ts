import { expect, test } from 'vitest';
import { createEngine } from '../compose/create-engine.js';
import type { FullEngineOptions } from '../compose/options.js';
import { type Files, local, machine, managed, project, user } from '../testing/temporary-machine.js';
import { loadSettings, readSettings } from './load.js';
import { watchSettings } from './watch.js';

const switches = async (files: Files, trust = false): Promise<Record<string, boolean>> => {
  const { tools } = await loadSettings({ ...machine(files), trust });
  return Object.fromEntries([...tools].map(([name, { value }]) => [name, value]));
};

test('a project may switch a tool off at once, and on only once its folder is trusted', async () => {
  const files = { [project]: { tools: { MemoryWrite: true, TodoWrite: false } } };
  expect(await switches(files)).toEqual({ TodoWrite: false });
  expect(await switches(files, true)).toEqual({ MemoryWrite: true, TodoWrite: false });
});

test.each([
  [managed, user],
  [user, managed],
  [local, managed],
  [project, local],
])('a tool that %s disables cannot be enabled by %s', async (off, on) => {
  const files = { [off]: { tools: { Architect: false } }, [on]: { tools: { Architect: true } } };
  expect(await switches(files, true)).toEqual({ Architect: false });
});

test('a switch that is neither on nor off counts as off, and is reported', async () => {
  const place = machine({ [user]: { tools: { MemoryRead: true, MemoryWrite: 'yes' } } });
  const { tools } = await loadSettings(place);
  expect([tools.get('MemoryRead')?.value, tools.get('MemoryWrite')?.value]).toEqual([true, false]);
  expect((await readSettings(place)).problems.map(({ message }) => message)).toEqual([
    expect.stringContaining('"tools.MemoryWrite" must be true or false, but was "yes", so it counts as false'),
  ]);
});

test('a switch of an unknown tool is reported, with the nearest name', async () => {
  const place = machine({ [user]: { tools: { WebFetsh: false, Zzz: true, my_tool: false, Think: false } } });
  const { problems } = await readSettings({ ...place, knownTools: ['Think', 'WebFetch'] });
  expect(problems.map(({ severity, message }) => [severity, message.replace(/^.*?: /, '')])).toEqual([
    ['dropped', '"tools.WebFetsh" names a tool that does not exist, so it does nothing. Did you mean "WebFetch"?'],
    ['warning', '"tools.Zzz" names a tool that does not exist, so it does nothing. Check the name, or remove it.'],
  ]);
});

async function enabled(files: Files, more: Partial<FullEngineOptions> = {}): Promise<string[]> {
  const place = machine(files);
  const { root, home, dataFolder } = place;
  const engine = createEngine({ root, home, dataFolder, settings: await watchSettings(place), ...more });
  const names = engine.session.tools.all.filter((pooled) => pooled.enabled).map(({ tool }) => tool.name);
  await engine.end();
  return names.filter((name) => ['MemoryRead', 'MemoryWrite', 'Architect', 'TodoWrite', 'Think'].includes(name));
}

test('a session has the tools that settings switch on, and not those that they switch off', async () => {
  expect(await enabled({})).toEqual(['Think', 'TodoWrite']);
  const files = { [user]: { tools: { MemoryRead: true, Think: false } } };
  expect(await enabled(files)).toEqual(['MemoryRead', 'TodoWrite']);
});

test('the options of a session can switch tools on, but none that settings switch off', async () => {
  const toolSwitches = { MemoryRead: true, Architect: true, Think: false };
  expect(await enabled({ [user]: { tools: { Architect: false } } }, { toolSwitches })).toEqual([
    'MemoryRead',
    'TodoWrite',
  ]);
});
