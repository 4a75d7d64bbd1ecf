// The content of a prompt: ACP's blocks as those of a message to the model.

import { fileURLToPath } from 'node:url';
import type { UserBlock } from '../contract/message.js';
import { isObject } from '../platform/is-object.js';
import { isBase64 } from '../platform/text/base64.js';
import { withoutReminders } from '../platform/text/reminder.js';
import { fullyVisible } from '../platform/text/visible.js';
import type { RpcParams } from './json-rpc.js';
import { fieldsOf, invalidParams, shown } from './read-params.js';

const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const MAX_BLOCKS = 1_000;

/** The person's words first, so that a command is recognised by its slash, then what is attached to them. */
export function readPrompt(params: RpcParams): UserBlock[] {
  const { prompt } = params;
  if (!Array.isArray(prompt))
    throw invalidParams(`"prompt" must be a list of content blocks, but was ${shown(prompt)}.`);
  if (prompt.length > MAX_BLOCKS) {
    throw invalidParams(`"prompt" has ${prompt.length} blocks, and may have ${MAX_BLOCKS}. Join some of them.`);
  }
  const words: UserBlock[] = [];
  const attached: UserBlock[] = [];
  for (const [index, block] of prompt.entries()) {
    const { type } = fieldsOf(block);
    const read = readBlock(block, `prompt[${index}]`);
    if (type === 'resource') attached.push(read);
    else words.push(read);
  }
  const all = [...joined(words), ...attached];
  if (all.every((block) => block.type === 'text' && block.text.trim() === '')) {
    throw invalidParams('The prompt is empty, so there is nothing to send. Give it some words.');
  }
  return all;
}

function readBlock(block: unknown, at: string): UserBlock {
  if (!isObject(block)) throw invalidParams(`"${at}" must be an object, but was ${shown(block)}.`);
  switch (block['type']) {
    case 'text':
      return { type: 'text', text: textOf(block, 'text', at) };
    case 'image':
      return image(textOf(block, 'data', at), textOf(block, 'mimeType', at), at, `${at}.data`);
    case 'resource_link':
      return { type: 'text', text: link(textOf(block, 'uri', at), textOf(block, 'name', at)) };
    case 'resource':
      return resource(fieldsOf(block['resource']), at);
    case 'audio':
      throw invalidParams(`"${at}" is audio, which is not supported: promptCapabilities.audio is false.`);
    default:
      throw invalidParams(
        `"${at}.type" must be text, image, resource_link or resource, but was ${shown(block['type'])}.`,
      );
  }
}

function textOf(block: Readonly<Record<string, unknown>>, name: string, at: string): string {
  const value = block[name];
  if (typeof value === 'string') return value;
  throw invalidParams(`"${at}.${name}" must be a text, but was ${shown(value)}.`);
}

/** A provider refuses every request with an image that it can't read, and the history keeps the image. */
function image(data: string, mimeType: string, at: string, field: string): UserBlock {
  if (!isBase64(data)) throw invalidParams(`"${field}" must be the bytes of an image as base64.`);
  if (!imageTypes.includes(mimeType)) {
    throw invalidParams(`"${at}.mimeType" must be one of ${imageTypes.join(', ')}, but was ${shown(mimeType)}.`);
  }
  return { type: 'image', source: { type: 'base64', media_type: mimeType, data } };
}

/** The model opens a linked file by its path, with a tool and its checks. */
function link(uri: string, name: string): string {
  const path = pathOf(uri);
  return path === undefined ? `[${plainLine(name)}](${plainLine(uri)})` : `\`${plainLine(path)}\``;
}

function pathOf(uri: string): string | undefined {
  if (!uri.startsWith('file:')) return undefined;
  try {
    const { hash } = new URL(uri);
    const path = fileURLToPath(uri);
    return hash === '' ? path : `${path}${hash}`;
  } catch {
    return undefined;
  }
}

function resource({ uri, text, blob, mimeType }: Readonly<Record<string, unknown>>, at: string): UserBlock {
  if (typeof uri !== 'string') throw invalidParams(`"${at}.resource.uri" must be a text, but was ${shown(uri)}.`);
  const name = plainLine(pathOf(uri) ?? uri);
  if (typeof text === 'string')
    return { type: 'text', text: `<attached source=${JSON.stringify(name)}>\n${plainText(text)}\n</attached>` };
  if (typeof blob !== 'string') throw invalidParams(`"${at}.resource" must have a text or a blob.`);
  if (typeof mimeType === 'string' && imageTypes.includes(mimeType))
    return image(blob, mimeType, at, `${at}.resource.blob`);
  const type = typeof mimeType === 'string' ? plainLine(mimeType) : 'unknown';
  return { type: 'text', text: `[${name} was attached as binary data of the type ${type}, which is not shown here.]` };
}

/** Attached text is often the content of a file: it can't close its mark, nor imitate a reminder of Helve. */
const plainText = (text: string): string =>
  withoutReminders(fullyVisible(text.replaceAll('\r\n', '\n'))).replaceAll(/<(?=\s*(?:\/\s*)?attached)/gi, '&lt;');

const plainLine = (text: string): string => plainText(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');

/** Words and links of one sentence arrive in pieces. */
function joined(blocks: readonly UserBlock[]): UserBlock[] {
  const all: UserBlock[] = [];
  for (const block of blocks) {
    const last = all.at(-1);
    if (block.type === 'text' && last?.type === 'text')
      all[all.length - 1] = { type: 'text', text: last.text + block.text };
    else all.push(block);
  }
  return all;
}
