// A tool that touches files, and a test of it: real files in a temporary folder, and no model.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { defineTool, ToolFailure } from 'helve';
import { temporaryProject } from 'helve/testing';
import { readEffects } from 'helve/tools';
import * as z from 'zod';

const countLines = defineTool({
  name: 'CountLines',
  description: 'Count the lines of a file. Use Read to see them.',
  input: z.strictObject({ path: z.string() }),
  effects: ({ path }, context) => readEffects(path, context), // the project may be read; anything else needs a question
  async execute({ path }, { cwd }) {
    const text = await readFile(resolve(cwd, path), 'utf8').catch((cause) => {
      throw new ToolFailure(`${path} could not be read (${cause.code}). Check the name with LS.`, { cause });
    });
    return text.split('\n').length;
  },
  toModel: (lines, { path }) => `${path} has ${lines} lines.`,
});

const project = await temporaryProject({ 'a.txt': 'one\ntwo' }, { permissionMode: 'default' });

const good = await project.run(countLines, { path: 'a.txt' });
assert.equal(good.content, 'a.txt has 2 lines.');

const missing = await project.run(countLines, { path: 'b.txt' });
assert.equal(missing.content, 'b.txt could not be read (ENOENT). Check the name with LS.');

const outside = await project.run(countLines, { path: '/etc/passwd' });
assert.equal(outside.failure, 'permission_denied'); // no one can be asked here

await project.remove();
console.log('CountLines counts, says what is missing, and stays in the project.');
