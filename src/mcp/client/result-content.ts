// Converts a server's results into content blocks. All of it is untrusted text: it is never followed as instructions,
// and can't be mistaken for Helve's own words.
import { writeFile } from 'node:fs/promises';
import type { ContentBlock } from '../../contract/message.js';
import type { SessionPort } from '../../contract/tool-context.js';
import { fileKind, HEAD_BYTES } from '../../platform/files/file-kind.js';
import { MAX_FILE_BYTES, prepareImage, UnusableImage } from '../../platform/formats/image.js';
import { isObject } from '../../platform/is-object.js';
import { withoutReminders } from '../../platform/text/reminder.js';

const MAX_IMAGES = 20; // per result; each stays in the conversation
const MAX_LINKS = 50;
const MAX_LINK_CHARS = 64 * 1024;

export type ResultSession = Pick<SessionPort, 'resultFile'>;

/** The blocks of a result, in order. What is neither text nor image is saved to a file and replaced by its path. */
export async function contentBlocks(content: unknown, session: ResultSession): Promise<ContentBlock[]> {
  const blocks: ContentBlock[] = [];
  const seen = { images: 0, links: 0, linkChars: 0, linksLeftOut: 0 };
  for (const item of Array.isArray(content) ? content : []) {
    if (!isObject(item)) continue;
    if (item['type'] === 'resource_link') addLink(item, blocks, seen);
    else blocks.push(...(await blocksOf(item, session, seen)));
  }
  if (seen.linksLeftOut > 0) blocks.push(words(`(${seen.linksLeftOut} more resources were left out.)`));
  return blocks;
}

interface Seen {
  images: number;
  links: number;
  linkChars: number;
  linksLeftOut: number;
}

type Item = Readonly<Record<string, unknown>>;

async function blocksOf(item: Item, session: ResultSession, seen: Seen): Promise<ContentBlock[]> {
  const { type, text, data, resource } = item;
  if (type === 'text') return typeof text === 'string' ? [words(text)] : [];
  if (type === 'image' || type === 'audio') {
    const bytes = typeof data === 'string' ? Buffer.from(data, 'base64') : undefined;
    if (!bytes || bytes.length === 0) return [words(`(The server sent an ${String(type)} without data.)`)];
    return await fileBlocks(bytes, String(item['mimeType'] ?? type), type, session, seen);
  }
  if (type === 'resource' && isObject(resource)) return await resourceBlocks(resource, session, seen);
  return [words(`(The server sent a block of the kind ${JSON.stringify(type)}, which can't be shown.)`)];
}

/** The contents of a resource: text as is, anything else in a file. */
export async function resourceContents(contents: unknown, session: ResultSession): Promise<ContentBlock[]> {
  const seen = { images: 0, links: 0, linkChars: 0, linksLeftOut: 0 };
  const blocks: ContentBlock[] = [];
  for (const one of Array.isArray(contents) ? contents : []) {
    if (isObject(one)) blocks.push(...(await resourceBlocks(one, session, seen)));
  }
  return blocks;
}

async function resourceBlocks(resource: Item, session: ResultSession, seen: Seen): Promise<ContentBlock[]> {
  const { uri, mimeType, text, blob } = resource;
  const name = typeof uri === 'string' ? uri : 'a resource';
  if (typeof text === 'string') return [words(`${name}:\n${text}`)];
  if (typeof blob !== 'string') return [words(`(${name} came without contents.)`)];
  return await fileBlocks(Buffer.from(blob, 'base64'), String(mimeType ?? 'unknown type'), name, session, seen);
}

/** Shown as an image if it is one by its content, whatever its declared type. */
async function fileBlocks(
  bytes: Buffer,
  mimeType: string,
  name: string,
  session: ResultSession,
  seen: Seen,
): Promise<ContentBlock[]> {
  const kind = fileKind(bytes.subarray(0, HEAD_BYTES));
  let why = '';
  if (kind.kind === 'image' && seen.images < MAX_IMAGES && bytes.length <= MAX_FILE_BYTES) {
    try {
      const image = await prepareImage(bytes, kind.mediaType);
      seen.images += 1;
      const data = image.bytes.toString('base64');
      return [{ type: 'image', source: { type: 'base64', media_type: image.mediaType, data } }];
    } catch (error) {
      if (!(error instanceof UnusableImage)) throw error;
      why = ` It ${error.message}`;
    }
  }
  const file = await session.resultFile(`mcp-${fileName(name)}`);
  await writeFile(file, bytes);
  return [words(`(${name}: ${bytes.length} bytes, ${mimeType}, saved to ${file}.${why})`)];
}

const fileName = (name: string): string => name.split(/[\\/]/).at(-1)?.slice(-60) || 'file';

function addLink(item: Item, blocks: ContentBlock[], seen: Seen): void {
  const { uri, name, description, mimeType } = item;
  const facts = [name, mimeType, description].filter((fact) => typeof fact === 'string' && fact !== '');
  const line = `Resource ${String(uri)}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`;
  seen.links += 1;
  seen.linkChars += line.length;
  if (seen.links > MAX_LINKS || seen.linkChars > MAX_LINK_CHARS) seen.linksLeftOut += 1;
  else blocks.push(words(line));
}

export const words = (text: string): ContentBlock => ({ type: 'text', text: withoutReminders(text) });
