// A copy of the conversation where programs on the Claude Agent SDK look for it: its functions getSessionMessages,
// listSessions and getSessionInfo read a file of the session below ~/.claude, and never ask the process. Helve itself
// does not read it: the session is resumed from Helve's own data.
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { UserBlock } from '../../contract/message.js';
import { randomId } from '../../platform/crypto.js';
import { mkdirPrivate } from '../../platform/files/mkdir-private.js';
import { messageOf } from '../../platform/message-of.js';

const MAX_FOLDER_CHARS = 200; // the SDK shortens longer names by a hash of its own
const MAX_TAIL_BYTES = 64 * 1024; // the id of an entry is at its end

type Environment = Readonly<Record<string, string | undefined>>;

interface TranscriptOptions {
  env: Environment;
  home: string;
  cwd: string;
  sessionId: string;
  version: string;
  /** Called once if the copy can't be written. */
  onProblem(message: string): void;
}

/** Whether the process was started by the SDK, in any language. */
export const isStartedBySdk = (env: Environment): boolean => /^sdk-/.test(env['CLAUDE_CODE_ENTRYPOINT'] ?? '');

/** The file that the SDK reads; undefined if the name of the folder is too long for a copy. */
export function transcriptFile({
  env,
  home,
  cwd,
  sessionId,
}: Omit<TranscriptOptions, 'onProblem'>): string | undefined {
  const folder = cwd.normalize('NFC').replace(/[^a-zA-Z0-9]/g, '-');
  if (folder.length > MAX_FOLDER_CHARS) return undefined;
  return join(env['CLAUDE_CONFIG_DIR'] || join(home, '.claude'), 'projects', folder, `${sessionId}.jsonl`);
}

export class HostTranscript {
  readonly #options: TranscriptOptions;
  readonly #file: string | undefined;
  #end: { lastUuid: string | null; isInLine: boolean } | undefined;
  #hasFailed = false;

  constructor(options: TranscriptOptions) {
    this.#options = options;
    this.#file = transcriptFile(options);
  }

  prompt(content: readonly UserBlock[], uuid: string | undefined): void {
    this.#append('user', { role: 'user', content }, uuid ?? randomId());
  }

  /** A line for the host. Only messages of the conversation itself are kept, not those of child agents. */
  line({ type, message, uuid, parent_tool_use_id: parent, isReplay }: Readonly<Record<string, unknown>>): void {
    if ((type !== 'assistant' && type !== 'user') || isReplay === true) return;
    if (parent === null && typeof uuid === 'string') this.#append(type, message, uuid);
  }

  #append(type: 'user' | 'assistant', message: unknown, uuid: string): void {
    if (this.#file === undefined || this.#hasFailed) return;
    const { cwd, sessionId, version } = this.#options;
    try {
      this.#end ??= endOf(this.#file);
      const { lastUuid: parentUuid, isInLine } = this.#end;
      const facts = { isSidechain: false, userType: 'external', cwd, sessionId, version };
      const entry = { parentUuid, type, message, uuid, timestamp: new Date().toISOString(), ...facts };
      append(this.#file, `${isInLine ? '\n' : ''}${JSON.stringify(entry)}\n`);
      this.#end = { lastUuid: uuid, isInLine: false };
    } catch (error) {
      this.#hasFailed = true;
      this.#options.onProblem(
        `The copy of the conversation for the Agent SDK is incomplete: ${messageOf(error)}. The session itself is kept in Helve's data.`,
      );
    }
  }
}

function append(file: string, text: string): void {
  mkdirPrivate(dirname(file));
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  const descriptor = openSync(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    writeSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

/** Where a conversation that is continued has ended: its last message, and whether its last line is incomplete. */
function endOf(file: string): { lastUuid: string | null; isInLine: boolean } {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch {
    return { lastUuid: null, isInLine: false };
  }
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, MAX_TAIL_BYTES));
    readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    const tail = bytes.toString('utf8');
    const key = '"uuid":"'; // of an entry: it comes after its message
    const at = tail.slice(0, tail.lastIndexOf('\n') + 1).lastIndexOf(key);
    const lastUuid = at < 0 ? null : tail.slice(at + key.length, tail.indexOf('"', at + key.length));
    return { lastUuid, isInLine: tail !== '' && !tail.endsWith('\n') };
  } finally {
    closeSync(descriptor);
  }
}
