// Reads the image in the clipboard, with whichever program of this machine can.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { codeOf } from '../../platform/error-code.js';

const MAX_BYTES = 100_000_000;
const MAX_MS = 5_000; // for a program that waits for a missing display

export interface ClipboardOptions {
  env: Readonly<Record<string, string | undefined>>;
  platform?: NodeJS.Platform;
}

interface Way {
  program: string;
  args: readonly string[];
  /** Decodes the program's output, if it is not the image itself. */
  decode?(output: Buffer): Buffer;
}

/** The image's bytes, or why there are none. */
export async function clipboardImage(options: ClipboardOptions): Promise<{ bytes: Buffer } | { problem: string }> {
  const ways = waysFor(options);
  const missing: string[] = [];
  const run = promisify(execFile);
  const settings = { encoding: 'buffer', maxBuffer: MAX_BYTES, timeout: MAX_MS, env: { ...options.env } } as const;
  for (const { program, args, decode = asIs } of ways) {
    try {
      const { stdout } = await run(program, args, settings);
      const bytes = decode(stdout);
      if (bytes.length > 0) return { bytes };
    } catch (error) {
      if (codeOf(error) === 'ENOENT') missing.push(program);
    }
  }
  if (ways.length === 0) return { problem: 'There is no clipboard here: no display is set.' };
  if (missing.length === ways.length) {
    return {
      problem: `To paste images, install ${missing.join(' or ')}. You can also paste the path of an image.`,
    };
  }
  return { problem: 'There is no image in the clipboard.' };
}

function waysFor({ env, platform = process.platform }: ClipboardOptions): readonly Way[] {
  if (platform === 'darwin') {
    return [{ program: 'osascript', args: ['-e', 'get the clipboard as «class PNGf»'], decode: fromAppleScript }];
  }
  return [
    ...(env['WAYLAND_DISPLAY'] ? [{ program: 'wl-paste', args: ['--no-newline', '--type', 'image/png'] }] : []),
    ...(env['DISPLAY'] ? [{ program: 'xclip', args: ['-selection', 'clipboard', '-t', 'image/png', '-o'] }] : []),
  ];
}

const asIs = (output: Buffer): Buffer => output;

/** `«data PNGf89504E47…»` */
function fromAppleScript(output: Buffer): Buffer {
  return Buffer.from(/PNGf([0-9A-F]+)/i.exec(output.toString('utf8'))?.[1] ?? '', 'hex');
}
