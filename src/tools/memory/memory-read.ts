import * as z from 'zod';
import { defineTool } from '../../contract/tool.js';
import { counted } from '../../platform/text/counted.js';
import { systemText, withAliases } from '../input.js';
import { refusal } from '../refusal.js';
import { listMemory, memoryFolder, memoryName, readMemory } from './memory-folder.js';

const INDEX = 'MEMORY.md'; // shown in full beside the list, if it exists

const description = `Read the notes that earlier sessions have kept on this project.
Without file_path it lists them, and shows ${INDEX} if there is one. Look before work that may have been done before. Notes may be outdated: check them against the files.`;

export const memoryReadTool = defineTool({
  name: 'MemoryRead',
  title: 'Memory',
  about: 'Reads the notes that earlier sessions have kept on this project.',
  description,
  exposure: 'deferred',
  optIn: true,
  input: withAliases(
    { path: 'file_path' },
    z.strictObject({ file_path: systemText.optional().describe('A note. Left out: the index') }),
  ),
  effects: () => [{ kind: 'session', access: 'read', what: 'memory' }],

  async execute({ file_path = '' }, context) {
    const folder = memoryFolder(context);
    const isIndex = file_path.trim() === '';
    const name = isIndex ? INDEX : memoryName(file_path, folder);
    const text = await readMemory(folder, name);
    if (text !== undefined && !isIndex) return { name, text };
    const files = await listMemory(folder);
    if (isIndex) return { files, ...(text !== undefined && { text }) };
    const known = files.map((file) => file.name).join(', ') || 'none';
    throw refusal(`There is no note ${name}. The notes of this project: ${known}.`);
  },

  toModel(data) {
    if (!('files' in data)) return data.text === '' ? `The note ${data.name} is empty.` : data.text;
    const { files, text } = data;
    if (files.length === 0) return 'There are no notes on this project yet.';
    const rows = files.map(
      ({ name, bytes, modified }) => `${name} (${bytes} bytes, ${modified.toISOString().slice(0, 10)})`,
    );
    return `${rows.join('\n')}${text === undefined ? '' : `\n\n${INDEX}:\n${text}`}`;
  },

  displayCall: ({ file_path }) => ({ title: file_path || 'notes', looks: 'read' }),
  displayResult: (data) =>
    'files' in data
      ? {
          title: 'notes',
          facts: [counted(data.files.length, 'note')],
          looks: 'read',
          body: { type: 'list', items: data.files.map(({ name }) => name) },
        }
      : { title: data.name, looks: 'read', body: { type: 'text', text: data.text } },
});
