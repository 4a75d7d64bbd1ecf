// What a command does to files that are there: deleted, moved away, overwritten, or only created.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCommandAnalyzer } from '../../platform/shell/command-effects.js';
import { toolTable } from '../../tools/index.js';
import { assessRisks } from './assess-risks.js';

const analyzer = createCommandAnalyzer({ path: '/usr/bin:/bin' });
let folder: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'risks-')));
  mkdirSync(join(folder, 'src'));
  for (const name of ['old.txt', 'new.txt', 'src/a.ts']) writeFileSync(join(folder, name), 'x');
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each<[command: string, risks: string[]]>([
  ['> old.txt', ['notable overwrites: overwrites old.txt (undo)']],
  [': > old.txt', ['notable overwrites: overwrites old.txt (undo)']],
  ['echo x &> old.txt', ['notable overwrites: overwrites old.txt (undo)']],
  ['echo x >> old.txt', []],
  ['echo x > fresh.txt', []],
  ['truncate -s 0 old.txt', ['notable overwrites: overwrites old.txt (undo)']],
  ['cp new.txt old.txt', ['notable overwrites: overwrites old.txt (undo)']],
  ['cp new.txt src', []],
  ['cp -n new.txt old.txt', []],
  ['mv new.txt old.txt', ['notable overwrites: overwrites old.txt (undo)']],
  ['ln -sf new.txt old.txt', ['notable overwrites: overwrites old.txt (undo)']],
  ['ln -s new.txt old.txt', []],
  ['install new.txt old.txt', ['notable overwrites: overwrites old.txt (undo)']],
  ['cat new.txt | tee old.txt', ['notable overwrites: overwrites old.txt (undo)']],
  ['cat new.txt | tee -a old.txt', []],
  ['dd if=new.txt of=old.txt', ['notable overwrites: overwrites old.txt (undo)']],
  [
    'mv src /srv/old',
    [
      'high writes_outside: creates /srv/old, outside the project',
      'notable deletes: moves src out of the project (undo)',
    ],
  ],
  ['mv src lib', []],
  ['touch .env', ['notable secrets: creates .env, which holds secrets (undo)']],
  ['cp .env.example .env', ['notable secrets: creates .env, which holds secrets (undo)']],
])('%s', async (command, expected) => {
  const effects = await analyzer.effects(command, { cwd: folder, home: '/home/me', workspace: [folder] });
  const places = { project: [folder], workspace: [folder], home: ['/home/me'], tools: toolTable() };
  const risks = assessRisks({ tool: 'Bash', input: {}, effects }, places);
  expect(
    risks.map(
      ({ level, kind, text, undoable }) =>
        `${level} ${kind}: ${text}${undoable ? ` (${undoable === true ? 'undo' : undoable})` : ''}`,
    ),
  ).toEqual(expected);
});

test('a new file of secrets is created, not read, and an existing one is both', () => {
  const path = join(folder, '.env');
  const judged = (file: { identity?: string }) => {
    const effects = (['read', 'write'] as const).map((access) => ({
      kind: 'file' as const,
      access,
      path,
      real: path,
      ...file,
    }));
    const places = { project: [folder], workspace: [folder], tools: toolTable() };
    return assessRisks({ tool: 'Write', input: {}, effects }, places).map(({ text }) => text);
  };
  expect(judged({})).toEqual(['creates .env, which holds secrets']);
  expect(judged({ identity: '1:2' })).toEqual(['reads .env, which holds secrets', 'writes .env, which holds secrets']);
});
