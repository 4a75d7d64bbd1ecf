// The content of a file as its bytes, for hosts that show files themselves. The model never has this tool: what it reads
// counts as seen by it.
import * as z from 'zod';
import { defineTool } from '../contract/tool.js';
import { counted } from '../platform/text/counted.js';
import { readEffects } from './file-effect.js';
import { pathText } from './input.js';
import { refusePseudoFiles } from './pseudo-files.js';
import { FILE_CONTENT_TOOL } from './roles.js';
import { locate, openTarget } from './target-file.js';

/** The most that is given of one file. */
export const MAX_CONTENT_BYTES = 16 * 1024 * 1024;

const PIECE_BYTES = 65_536; // of files that generate their content and report a size of 0

export interface FileContent {
  absolute: string;
  bytes: Buffer;
  /** The file has more bytes than these. */
  isCut: boolean;
}

export const fileContentTool = defineTool<{ file_path: string; max_bytes: number }, FileContent>({
  name: FILE_CONTENT_TOOL,
  title: 'Read',
  description: 'Reads a file as it is, for the program that shows it.',
  exposure: 'hidden',
  input: z.strictObject({ file_path: pathText, max_bytes: z.int().min(1).max(MAX_CONTENT_BYTES) }),
  effects: ({ file_path }, context) => readEffects(file_path, context),

  async execute({ file_path, max_bytes }, context) {
    const target = await locate(file_path, context);
    refusePseudoFiles(target.real, target.shown);
    const { handle, stats } = await openTarget(target, context);
    try {
      const wanted = max_bytes + 1; // one more, to know whether there is more
      const bytes = Buffer.alloc(stats.size === 0 ? Math.min(wanted, PIECE_BYTES) : Math.min(wanted, stats.size));
      let length = 0;
      while (length < bytes.length) {
        const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      const isCut = length > max_bytes || (stats.size === 0 && length === bytes.length);
      return { absolute: target.path, bytes: bytes.subarray(0, Math.min(length, max_bytes)), isCut };
    } finally {
      handle.close();
    }
  },

  toModel: ({ bytes }) => counted(bytes.length, 'byte'),
  displayCall: ({ file_path = '' }) => ({ title: file_path, looks: 'read' }),
  displayResult: ({ absolute, bytes }) => ({ title: absolute, facts: [counted(bytes.length, 'byte')], looks: 'read' }),
});
