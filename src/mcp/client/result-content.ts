// Converts a server's results into content blocks. All of it is untrusted text: it is never followed as instructions,
// and can't be mistaken for Helve's own words.
import { writeFile } from 'node:fs/promises';
import type { ContentBlock } from '../../contract/message.js';
import type { ResourceContent, SessionPort } from '../../contract/tool-context.js';
import { fileKind, HEAD_BYTES } from '../../platform/files/file-kind.js';
import { MAX_FILE_BYTES, prepareImage, UnusableImage } from '../../platform/formats/image.js';
import { isObject } from '../../platform/is-object.js';
import { withoutReminders } from '../../platform/text/reminder.js';

const MAX_IMAGES = 20; // per result; each stays in the conversation
const MAX_LINKS = 50;
const MAX_LINK_CHARS = 64 * 1024;
const MAX_FILES = 100; // per result, since a server may send any number of tiny ones
const MAX_BLOCKS = 100; // per result; of more, neighbouring texts become one
const LOW_PRIORITY = 0.5; // of 1; the annotation calls 0 entirely optional
const MIN_MOVED_CHARS = 1_000; // less is not worth a file
const MAX_SENT_CHARS = 16 * 1024 * 1024;

export type ResultSession = Pick<SessionPort, 'resultFile'>;

/** The blocks of content, in order. What is neither text nor image is saved to a file and replaced by its path. */
export async function contentBlocks(content: unknown, session: ResultSession): Promise<ContentBlock[]> {
  return joined((await readParts(content, session)).flatMap(({ blocks }) => blocks));
}

export interface ResultBlocks {
  /** For the model. */
  blocks: ContentBlock[];
  /** For the person: all of them, since nothing that the model reads is hidden from the person. */
  shown: ContentBlock[];
}

/**
 * The blocks of a result, as its annotations ask: parts for the user alone are not sent to the model, and if the text is
 * too long, parts of low priority go to a file first.
 */
export async function resultBlocks(content: unknown, session: ResultSession, maxChars: number): Promise<ResultBlocks> {
  const parts = await readParts(content, session);
  const shown = parts.flatMap(({ blocks }) => blocks);
  const forModel = parts.filter(({ isForUserAlone }) => !isForUserAlone);
  let size = forModel.reduce((sum, part) => sum + charsOf(part), 0);
  const replaced = new Map<Part, ContentBlock[]>();
  for (const part of forModel.toSorted((one, other) => one.priority - other.priority)) {
    if (size <= maxChars || part.priority >= LOW_PRIORITY || replaced.size >= MAX_FILES) break;
    const chars = charsOf(part);
    if (chars < MIN_MOVED_CHARS) continue;
    const file = await session.resultFile('mcp-part.txt');
    await writeFile(file, part.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n'));
    replaced.set(part, [words(`(A part of low priority, ${chars} characters, is in ${file}.)`)]);
    size -= chars;
  }
  return { shown: joined(shown), blocks: joined(forModel.flatMap((part) => replaced.get(part) ?? part.blocks)) };
}

/** Of very many blocks, neighbouring texts as one: providers refuse requests with too many. */
function joined(blocks: readonly ContentBlock[]): ContentBlock[] {
  if (blocks.length <= MAX_BLOCKS) return [...blocks];
  const runs: ContentBlock[] = [];
  let texts: string[] = [];
  const endRun = (): void => {
    if (texts.length > 0) runs.push({ type: 'text', text: texts.join('\n') });
    texts = [];
  };
  for (const block of blocks) {
    if (block.type === 'text') {
      if (block.text !== '') texts.push(block.text);
      continue;
    }
    endRun();
    runs.push(block);
  }
  endRun();
  return runs;
}

/** The blocks of one item. */
interface Part {
  blocks: ContentBlock[];
  isForUserAlone: boolean;
  /** From 0, optional, to 1. */
  priority: number;
}

const charsOf = ({ blocks }: Part): number =>
  blocks.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0);

async function readParts(content: unknown, session: ResultSession): Promise<Part[]> {
  const items = (Array.isArray(content) ? content : []).filter(isObject);
  const { admitted, images } = admittedItems(items);
  const parts: Part[] = [];
  for (const item of items) {
    const { audience, priority } = annotationsOf(item);
    const isForUserAlone = Array.isArray(audience) && audience.includes('user') && !audience.includes('assistant');
    if (!admitted.has(item)) continue;
    const blocks = await blocksOf(item, session, images.has(item));
    parts.push({ blocks, isForUserAlone, priority: typeof priority === 'number' ? priority : 1 });
  }
  const left = items.filter((item) => !admitted.has(item));
  const links = left.filter(({ type }) => type === 'resource_link').length;
  const tellLeft = (count: number, what: string): void => {
    if (count === 0) return;
    parts.push({ blocks: [words(`(${count} more ${what} were left out.)`)], isForUserAlone: false, priority: 1 });
  };
  tellLeft(links, 'resources');
  tellLeft(left.length - links, 'files');
  return parts;
}

type Item = Readonly<Record<string, unknown>>;

function annotationsOf({ annotations, resource }: Item): Item {
  if (isObject(annotations)) return annotations;
  return isObject(resource) && isObject(resource['annotations']) ? resource['annotations'] : {};
}

/** The items that there is room for, and those that may be images; items of higher priority come first. */
function admittedItems(items: readonly Item[]): { admitted: ReadonlySet<Item>; images: ReadonlySet<Item> } {
  const priorityOf = (item: Item): number => {
    const { priority } = annotationsOf(item);
    return typeof priority === 'number' ? priority : 1;
  };
  const byPriority = items.toSorted((one, other) => priorityOf(other) - priorityOf(one));
  let linkChars = 0;
  const links = byPriority
    .filter(({ type }) => type === 'resource_link')
    .filter((item, index) => {
      linkChars += linkText(item).length;
      return index < MAX_LINKS && linkChars <= MAX_LINK_CHARS;
    });
  const isImage = ({ type, resource }: Item): boolean => type === 'image' || (isObject(resource) && 'blob' in resource);
  const isFile = (item: Item): boolean => item['type'] === 'audio' || isImage(item);
  const texts = byPriority.filter((item) => item['type'] !== 'resource_link' && !isFile(item));
  const files = byPriority.filter(isFile).slice(0, MAX_FILES);
  return {
    admitted: new Set([...links, ...texts, ...files]),
    images: new Set(files.filter(isImage).slice(0, MAX_IMAGES)),
  };
}

async function blocksOf(item: Item, session: ResultSession, mayBeImage: boolean): Promise<ContentBlock[]> {
  const { type, text, data, resource } = item;
  if (type === 'text') return typeof text === 'string' ? [words(text)] : [];
  if (type === 'resource_link') return [words(linkText(item))];
  if (type === 'image' || type === 'audio') {
    const bytes = typeof data === 'string' ? Buffer.from(data, 'base64') : undefined;
    if (!bytes || bytes.length === 0) return [words(`(The server sent an ${String(type)} without data.)`)];
    const mimeType = String(item['mimeType'] ?? type);
    return await fileBlocks({ bytes, mimeType, name: type, mayBeImage }, session);
  }
  if (type === 'resource' && isObject(resource)) return await resourceBlocks(resource, session, mayBeImage);
  const kind = typeof type === 'string' ? JSON.stringify(type.slice(0, 60)) : typeof type;
  return [words(`(The server sent a block of the kind ${kind}, which can't be shown.)`)];
}

/** The contents of a resource: text as is, anything else in a file. */
export async function resourceContents(contents: unknown, session: ResultSession): Promise<ContentBlock[]> {
  const blocks: ContentBlock[] = [];
  let images = 0;
  let files = 0;
  let leftOut = 0;
  for (const one of Array.isArray(contents) ? contents : []) {
    if (!isObject(one)) continue;
    if ('blob' in one) files += 1;
    if ('blob' in one && files > MAX_FILES) {
      leftOut += 1;
      continue;
    }
    const found = await resourceBlocks(one, session, images < MAX_IMAGES);
    images += found.filter(({ type }) => type === 'image').length;
    blocks.push(...found);
  }
  if (leftOut > 0) blocks.push(words(`(${leftOut} more files were left out.)`));
  return joined(blocks);
}

/** The contents of a resource as the server sent them; undefined if they are too large to be kept beside the blocks. */
export function sentContents(contents: unknown): ResourceContent[] | undefined {
  let chars = 0;
  const kept: ResourceContent[] = [];
  for (const one of Array.isArray(contents) ? contents : []) {
    if (!isObject(one) || typeof one['uri'] !== 'string') continue;
    const { uri, mimeType, text, blob, _meta } = one;
    const content: ResourceContent = {
      uri,
      ...(typeof mimeType === 'string' && { mimeType }),
      ...(typeof text === 'string' && { text }),
      ...(typeof blob === 'string' && { blob }),
      ...(isObject(_meta) && { _meta }),
    };
    chars += JSON.stringify(content).length;
    if (chars > MAX_SENT_CHARS) return undefined;
    kept.push(content);
  }
  return kept;
}

async function resourceBlocks(resource: Item, session: ResultSession, mayBeImage: boolean): Promise<ContentBlock[]> {
  const { uri, mimeType, text, blob } = resource;
  const name = typeof uri === 'string' ? uri : 'a resource';
  if (typeof text === 'string') return [words(`${name}:\n${text}`)];
  if (typeof blob !== 'string') return [words(`(${name} came without contents.)`)];
  const bytes = Buffer.from(blob, 'base64');
  const type = typeof mimeType === 'string' ? mimeType : 'unknown type';
  const decoded = TEXT_TYPE.test(type) ? decodedText(bytes) : undefined;
  if (decoded !== undefined) return [words(`${name}:\n${decoded}`)];
  return await fileBlocks({ bytes, mimeType: type, name, mayBeImage }, session);
}

/** Types that are text; some servers send all their resources as bytes. */
const TEXT_TYPE = /^(?:text\/|application\/(?:[\w.+-]+\+)?(?:json|xml|yaml|javascript|toml|sql)\b)/i;

function decodedText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined; // it is not UTF-8, whatever its type claims
  }
}

interface FoundFile {
  bytes: Buffer;
  mimeType: string;
  name: string;
  mayBeImage: boolean;
}

/** Shown as an image if it is one by its content, whatever its declared type. */
async function fileBlocks(
  { bytes, mimeType, name, mayBeImage }: FoundFile,
  session: ResultSession,
): Promise<ContentBlock[]> {
  const kind = fileKind(bytes.subarray(0, HEAD_BYTES));
  let why = '';
  if (kind.kind === 'image' && mayBeImage && bytes.length <= MAX_FILE_BYTES) {
    try {
      const image = await prepareImage(bytes, kind.mediaType);
      const data = image.bytes.toString('base64');
      return [{ type: 'image', source: { type: 'base64', media_type: image.mediaType, data } }];
    } catch (error) {
      if (!(error instanceof UnusableImage)) throw error;
      why = ` It ${error.message}`;
    }
  }
  const file = await session.resultFile(`mcp-${fileName(name, mimeType)}`);
  await writeFile(file, bytes);
  return [words(`(${name}: ${bytes.length} bytes, ${mimeType}, saved to ${file}.${why})`)];
}

/** The last part of an address, with an ending for its type, so that other programs can open the file. */
function fileName(name: string, mimeType: string): string {
  const path = name.replace(/[?#].*$/s, '');
  const last =
    path
      .split(/[\\/]/)
      .at(-1)
      ?.replaceAll(/[^\w.-]+/g, '_')
      .slice(-60) || 'file';
  const ending = extensionOf(mimeType);
  return /\.\w{1,8}$/.test(last) || ending === undefined ? last : `${last}.${ending}`;
}

function extensionOf(mimeType: string): string | undefined {
  const [type = ''] = mimeType.toLowerCase().split(';');
  const subtype = type.trim().split('/')[1]?.replace(/^x-/, '').replace(/\+.*$/, '') ?? '';
  return extensions[subtype] ?? (/^[a-z0-9]{2,5}$/.test(subtype) ? subtype : undefined);
}

const extensions: Readonly<Record<string, string>> = {
  mpeg: 'mp3',
  mp4: 'mp4',
  jpeg: 'jpg',
  plain: 'txt',
  markdown: 'md',
  javascript: 'js',
  quicktime: 'mov',
};

function linkText({ uri, name, title, description, mimeType, size }: Item): string {
  const bytes = typeof size === 'number' ? `${size} bytes` : undefined;
  const facts = [title ?? name, mimeType, bytes, description].filter((fact) => typeof fact === 'string' && fact !== '');
  return `Resource ${String(uri)}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`;
}

export const words = (text: string): ContentBlock => ({ type: 'text', text: withoutReminders(text) });
