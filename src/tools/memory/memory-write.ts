import * as z from 'zod';
import { defineTool } from '../../contract/tool.js';
import { pathText, withAliases } from '../input.js';
import { MAX_FILE_BYTES, MAX_FILES, memoryFolder, memoryName, writeMemory } from './memory-folder.js';

const description = `Keep a note on this project for later sessions. It writes the whole note, over the one of that name if there is one.
Use it for what took effort to find out and stays true: how to build, decisions and their reasons, traps. No secrets, and nothing that the files say themselves. At most ${MAX_FILES} notes of ${MAX_FILE_BYTES / 1000} kB.`;

export const memoryWriteTool = defineTool({
  name: 'MemoryWrite',
  title: 'Memory',
  about: 'Keeps a note on this project for later sessions.',
  description,
  exposure: 'deferred',
  optIn: true,
  input: withAliases(
    { path: 'file_path' },
    z.strictObject({
      file_path: pathText.describe('The name of the note: "build.md"'),
      content: z.string().describe('The whole note'),
    }),
  ),
  effects: () => [{ kind: 'session', access: 'write', what: 'memory' }],

  async validate({ file_path }, context) {
    memoryName(file_path, memoryFolder(context));
    return undefined;
  },

  async execute({ file_path, content }, context) {
    const folder = memoryFolder(context);
    const name = memoryName(file_path, folder);
    return { name, ...(await writeMemory(folder, name, content)) };
  },

  toModel: ({ name, isNew }) => `The note ${name} was ${isNew ? 'written' : 'replaced'}. Later sessions can read it.`,
  displayCall: ({ file_path = '', content = '' }) => ({ title: file_path, body: { type: 'text', text: content } }),
  displayResult: ({ name, isNew }, { content }) => ({
    title: name,
    facts: [isNew ? 'created' : 'replaced'],
    body: { type: 'text', text: content },
  }),
});
