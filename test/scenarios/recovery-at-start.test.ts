import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { hashOf } from '../../src/platform/crypto.js';
import { journalFolders, makeJournal, saveBeforeImage } from '../../src/platform/journal/journal.js';
import { writeRecord } from '../../src/platform/journal/lock.js';
import { thisProcess } from '../../src/platform/journal/process-identity.js';
import { writePlan } from '../../src/platform/journal/recovery-plan.js';
import { temporaryProject } from '../../src/testing/index.js';
import { readTool } from '../../src/tools/read.js';

test('the first call finds files as they were before a change that a killed process left half done', async () => {
  const project = await temporaryProject({ 'a.txt': 'new', 'b.txt': 'old' });
  const folders = journalFolders(join(dirname(project.root), 'helve'));
  const [old, wanted] = [Buffer.from('old'), Buffer.from('new')];
  const files = ['a.txt', 'b.txt'].map((name) => ({
    real: project.path(name),
    before: hashOf(old),
    after: hashOf(wanted),
  }));
  await makeJournal(folders);
  await saveBeforeImage(folders, old, hashOf(old));
  const owner = { ...(await thisProcess()), pid: spawnSync('true').pid, started: 1 };
  const about = { token: 'left', sessionId: 'earlier', callId: 'call', at: new Date().toISOString(), locks: [] };
  await writeRecord(folders, { ...about, owner, files }, { durable: true });
  const planned = { owner: { mode: 0o644, uid: 0, gid: 0 }, inPlace: false, folders: [] };
  await writePlan(folders, 'left', { files: [planned, planned] });

  const { content, events } = await project.run(readTool, { file_path: 'a.txt' });
  expect(content).toContain('old');
  expect(events).toContainEqual({ type: 'notice', text: expect.stringContaining(project.path('a.txt')) });
  await project.remove();
});
