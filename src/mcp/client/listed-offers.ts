// Resources and prompts as the user and the model see them. All text in them is the server's own.
import type { ListedResource } from '../../contract/tool-context.js';
import { isObject } from '../../platform/is-object.js';
import { plainLine, plainText } from '../../platform/text/plain-text.js';
import { toolNames } from '../names.js';

/** A prompt template that a server offers to users. */
export interface ServerPrompt {
  server: string;
  /** The server's name for it. */
  name: string;
  /** The command's name, without the slash. */
  command: string;
  description: string;
  arguments: ReadonlyArray<{ name: string; required: boolean }>;
}

export function listedResource(
  one: Readonly<Record<string, unknown>>,
  server: string,
  field: 'uri' | 'uriTemplate',
): ListedResource {
  const text = (key: string, max: number): string | undefined =>
    typeof one[key] === 'string' ? plainText(one[key], max) : undefined;
  const [mimeType, description] = [text('mimeType', 100), text('description', 300)];
  return {
    server,
    uri: text(field, 2_000) ?? '',
    name: text('name', 200) ?? '',
    ...(field === 'uriTemplate' && { isTemplate: true }),
    ...(mimeType !== undefined && { mimeType }),
    ...(description !== undefined && { description }),
  };
}

/** `part`: the server's part of the commands' names. */
export function listedPrompts(offered: readonly unknown[], server: string, part: string): ServerPrompt[] {
  const sent = offered.filter(isObject).flatMap((one) => {
    const { name } = one;
    return typeof name === 'string' ? [{ name, one }] : [];
  });
  const commands = toolNames(
    part,
    sent.map(({ name }) => name),
  );
  return sent.map(({ name, one }) => ({
    server,
    name,
    command: commands.get(name) ?? '',
    description: typeof one['description'] === 'string' ? plainLine(one['description'], 300) : '',
    arguments: argumentsOf(one['arguments']),
  }));
}

function argumentsOf(sent: unknown): ServerPrompt['arguments'] {
  const named = (Array.isArray(sent) ? sent : []).filter(isObject).filter(({ name }) => typeof name === 'string');
  return named.map(({ name, required }) => ({ name: String(name), required: required === true }));
}
