import { chmod, mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { AccessFile } from './access-file.js';

const folder = async (): Promise<string> => await mkdtemp(join(tmpdir(), 'helve-access-'));

test('of several processes that use one code, one is let in', async () => {
  const data = await folder();
  const code = await new AccessFile(data).addCode('view');
  const all = await Promise.all([1, 2, 3, 4].map(async () => await new AccessFile(data).signIn({ code })));
  expect(all.filter((one) => one !== undefined)).toHaveLength(1);
});

test('a token that has expired lets no one in, ends what it opened, and is still listed', async () => {
  const access = new AccessFile(await folder());
  const token = await access.addToken('guest', 'view', Date.now() + 60_000);
  const grant = access.byToken(token);
  expect(grant).toMatchObject({ name: 'guest', role: 'view' });
  const expired = await access.addToken('old', 'run', Date.now() - 1);
  expect(access.byToken(expired)).toBeUndefined();
  expect(await access.signIn({ token: expired })).toBeUndefined();
  expect(access.list().map(({ name }) => name)).toEqual(['guest', 'old']);
  await access.revoke('guest');
  await access.addToken('guest', 'view');
  expect(grant && access.holds(grant)).toBe(false); // another token of the same name
});

test('a clock that is set back makes no code valid for longer', async () => {
  const access = new AccessFile(await folder());
  const code = await access.addCode('view');
  vi.useFakeTimers({ now: Date.now() - 3_600_000, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  expect(await access.signIn({ code })).toBeUndefined();
});

test('a browser that signs out ends its own connections, and not those of its token', async () => {
  const access = new AccessFile(await folder());
  const token = await access.addToken('laptop', 'run');
  const [one, other] = [await access.signIn({ token }), await access.signIn({ token })];
  const grants = [one, other].flatMap((secrets) => (secrets && access.byBrowser(secrets)) ?? []);
  const program = access.byToken(token);
  if (one) await access.signOut(one);
  expect([...grants, program].map((grant) => grant && access.holds(grant))).toEqual([false, true, true]);
});

test('a file that others may write lets no one in, also if it was read before', async () => {
  const access = new AccessFile(await folder());
  const token = await access.addToken('one', 'admin');
  expect(access.byToken(token)).toBeDefined();
  await chmod(access.path, 0o666);
  expect(() => access.byToken(token)).toThrow(/other users may write it/);
});

test('changes that are made at once are all kept', async () => {
  const data = await folder();
  const names = Array.from({ length: 8 }, (_, number) => `token-${number}`);
  await Promise.all(names.map(async (name) => await new AccessFile(data).addToken(name, 'view')));
  expect(new Set(new AccessFile(data).list().map(({ name }) => name))).toEqual(new Set(names));
});

test('a file that is damaged, or a link, lets no one in and says what to do', async () => {
  const access = new AccessFile(await folder());
  const token = await access.addToken('one', 'admin');
  await writeFile(access.path, '{"v":1,"tokens":[{"role":"admin"}],"codes":[]}');
  expect(() => access.byToken(token)).toThrow(/is damaged .* so no one is let in\. Remove it/);
  const link = new AccessFile(await folder());
  await mkdir(link.folder, { mode: 0o700 });
  await symlink(access.path, link.path);
  expect(() => link.list()).toThrow(/it is a link/);
});
