import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createExplainer } from '../../compose/explain-call.js';
import { describeExplanation } from './describe-explanation.js';

async function described(command: string, settings: object = {}): Promise<string> {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'helve-explained-')));
  mkdirSync(join(cwd, 'build'));
  return describeExplanation(await createExplainer()({ tool: 'Bash', input: { command }, cwd, settings }), { cwd });
}

test('what an effect says is not said again as a risk', async () => {
  const text = await described('rm -rf build', { permissions: { ask: ['Bash(rm:*)'] } });
  expect(text.match(/deletes build and everything in it/g)).toHaveLength(1);
});

test('the reason of an effect is a whole clause', async () => {
  const text = await described('find . -name "*.log" -delete');
  expect(text).not.toContain(': or holds');
  expect(text).toMatch(/deletes what it finds in .*: it is or holds the project/);
});
