// Images attached to a prompt. Each is marked in its text as [image #1].
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { splitWords } from '../../agent/commands/arguments.js';
import type { ImageBlock } from '../../contract/message.js';
import { fileKind } from '../../platform/files/file-kind.js';
import { messageOf } from '../../platform/message-of.js';

const MAX_PATH_CHARS = 4_096; // a longer paste is text, even if it ends like a path
const PICTURE_NAME = /\.(?:png|jpe?g|gif|webp)$/i;

export interface AttachmentsOptions {
  home?: string | undefined;
  /** Called with a message if an image can't be sent. */
  onProblem(sentence: string): void;
}

export class Attachments {
  readonly #options: AttachmentsOptions;
  /** By marker; undefined for an image that can't be sent. */
  readonly #attached = new Map<string, Promise<ImageBlock | undefined>>();

  constructor(options: AttachmentsOptions) {
    this.#options = options;
  }

  /** Markers for images whose paths were pasted, which is how terminals insert dropped files. */
  forPaste(pasted: string): string | undefined {
    const paths = this.#imagePaths(pasted.trim());
    if (paths.length === 0) return undefined;
    return `${paths.map((path) => this.#add(basename(path), async () => await readFile(path))).join(' ')} `;
  }

  /** The marker for an image in memory. */
  forBytes(bytes: Buffer): string {
    return `${this.#add('The image in the clipboard', async () => bytes)} `;
  }

  /** The images whose markers are in the text, in order. */
  async of(text: string): Promise<ImageBlock[]> {
    const marks = new Set(text.match(/\[image #\d+\]/g) ?? []);
    const images = await Promise.all([...marks].map(async (mark) => await this.#attached.get(mark)));
    return images.filter((image) => image !== undefined);
  }

  #add(name: string, read: () => Promise<Buffer>): string {
    const mark = `[image #${this.#attached.size + 1}]`;
    const image = prepared(read).catch((error: unknown) => {
      const why = messageOf(error);
      this.#options.onProblem(`${name} ${why} ${mark} is ignored.`);
      return undefined;
    });
    this.#attached.set(mark, image);
    return mark;
  }

  #imagePaths(pasted: string): string[] {
    if (pasted.length > MAX_PATH_CHARS || /[\r\n]/.test(pasted) || !PICTURE_NAME.test(pasted.replace(/['"]$/, ''))) {
      return [];
    }
    const whole = this.#pathOf(pasted);
    if (whole !== undefined) return [whole];
    const paths = splitWords(pasted).map((word) => this.#pathOf(word));
    return paths.every((path) => path !== undefined) ? paths : [];
  }

  #pathOf(word: string): string | undefined {
    if (!PICTURE_NAME.test(word)) return undefined;
    try {
      const path = word.startsWith('file://') ? fileURLToPath(word) : word;
      const real = path.startsWith('~/') ? join(this.#options.home ?? '', path.slice(2)) : path;
      return isAbsolute(real) && statSync(real).isFile() ? real : undefined;
    } catch {
      return undefined; // no such file, so it is text
    }
  }
}

/** Resized for every provider. Rejects with an error that continues after the image's name. */
async function prepared(read: () => Promise<Buffer>): Promise<ImageBlock> {
  const bytes = await read();
  const kind = fileKind(bytes);
  if (kind.kind !== 'image') throw new Error('is not a PNG, JPEG, GIF or WebP image, so it is not sent.');
  const { prepareImage } = await import('../../platform/formats/image.js');
  const { mediaType, bytes: sent } = await prepareImage(bytes, kind.mediaType);
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: sent.toString('base64') } };
}
