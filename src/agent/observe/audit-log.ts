// Records the calls, decisions and results of a session in a separate file. Each line has the hash of the line before it,
// so that a line that is changed, removed or moved later is detected. docs/audit.md describes what the log can prove and
// what it can't.

import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentHappening } from '../../contract/event.js';
import type { Decision, PermissionAnswer } from '../../contract/permission.js';
import type { Answer } from '../../contract/question.js';
import { sha256 } from '../../platform/crypto.js';
import { makePrivateFolder, openFlags } from '../../platform/files/private-files.js';
import { unwritableNotice } from '../../platform/files/spare-folder.js';
import { messageOf } from '../../platform/message-of.js';
import { clause } from '../../platform/text/clause.js';
import type { ChildOrigin } from '../session-component.js';
import { redactSecrets } from '../store/redact-secrets.js';
import { sessionFolder, sessionsFolder } from '../store/session-folder.js';
import { type KeptEntry, keepAudit } from '../store/spare-records.js';
import { checkAudit, lastOf, NO_HASH, readAudit } from './read-audit.js';

const MAX_TEXT_CHARS = 2_000; // a longer text is stored as its beginning, length and hash
const MAX_INPUT_CHARS = 20_000; // a larger input is stored as its length and hash
const SHOWN_CHARS = 200;
const MAX_REASONS = 200;
const MAX_DEPTH = 50; // the depth to which values are searched; a cycle exceeds it
const MAX_WAITING = 20_000; // entries that are kept in memory while the disk is full

export interface AuditLogOptions {
  dataFolder: string;
  sessionId: string;
  root: string;
  /** Known secret values of any format, such as keys of the environment. */
  secrets?: readonly string[];
  /** Called with one sentence for the person when entries can't be written, once until they can. Calls continue. */
  onProblem?: (sentence: string) => void;
}

export interface AuditLog {
  /** Records an event, of a child agent if one is given. Events that are not about calls are ignored. */
  take(happening: AgentHappening, agent?: ChildOrigin): void;
  /** Records the answer of a person or a program to a question about a call. */
  answered(question: { callId: string; tool: string }, answer: PermissionAnswer): void;
  /** Records the answers to questions of the model. */
  replied(callId: string | undefined, answers: readonly Answer[]): void;
  /** Writes the remaining entries and closes the file. No method may be called afterwards. */
  close(): void;
}

type Entry = { type: string } & Readonly<Record<string, unknown>>;

export function createAuditLog(options: AuditLogOptions): AuditLog {
  const { secrets = [], onProblem = (sentence) => process.emitWarning(sentence, 'HelveWarning') } = options;
  const clean = (value: unknown): unknown => shortened(value, secrets);
  const reasons = new Map<string, unknown>(); // a cache: most decisions have one of a few reasons
  const cleanReason = (reason: string): unknown => {
    if (reasons.size >= MAX_REASONS) reasons.clear();
    if (!reasons.has(reason)) reasons.set(reason, clean(reason));
    return reasons.get(reason);
  };
  const running = new Set<string>();
  const harmless = new Set<string>();
  let waiting: Entry[] = [];
  let file: AuditFile | undefined;
  let isClosed = false;
  let isReported = false;
  let dropped = 0;

  const now = (): string => new Date().toISOString();
  const unwritten = (): Entry[] =>
    dropped === 0 ? waiting : [...waiting, { at: now(), type: 'gap', entries: dropped }];
  const flush = (): void => {
    if (waiting.length === 0) return;
    try {
      file ??= openAudit(options);
      file.append(unwritten());
      waiting = [];
      dropped = 0;
      isReported = false;
    } catch (error) {
      if (isReported) return;
      isReported = true;
      const why = messageOf(error);
      onProblem(unwritableNotice(options, `The audit log was not written: ${clause(why)}.`));
    }
  };
  const add = (entry: Entry): void => {
    if (isClosed) return;
    if (waiting.length >= MAX_WAITING) dropped += 1;
    else waiting.push({ at: now(), ...entry });
  };

  return {
    take(happening, agent) {
      switch (happening.type) {
        case 'tool_call': {
          const { callId: call, tool, input } = happening;
          running.add(call);
          const by = agent && { agent: agent.type, parent: agent.parentCallId };
          add({ type: 'call', call, tool, ...by, ...recordedInput(input, secrets) });
          return;
        }
        case 'permission_decision': {
          const { callId: call, tool, decision } = happening;
          if (decision.behavior === 'allow' && isFree(decision)) harmless.add(call);
          add({ type: 'decision', call, tool, ...asEntry(decision, cleanReason) });
          return;
        }
        case 'tool_start': {
          const { callId: call, tool } = happening;
          add({ type: 'start', call, tool });
          if (!harmless.has(call)) flush(); // so that after a crash the log shows that the call had started
          return;
        }
        case 'tool_result': {
          const { callId: call, tool, result, failure, waits } = happening;
          const content = typeof result.content === 'string' ? result.content : JSON.stringify(result.content);
          const outcome = { ok: result.is_error !== true, ...(failure && { failure }) };
          // A denied call has no content. If no question could be asked, only this entry has the reason.
          const why = failure === 'permission_denied' && { reason: clean(content) };
          add({ type: 'result', call, tool, ...outcome, ...why, ...measured(content), ...(waits && { waits }) });
          running.delete(call);
          const isFreeCall = harmless.delete(call);
          if (running.size === 0 || !isFreeCall) flush(); // even while other calls of the same answer run
          return;
        }
        case 'turn_end':
        case 'result':
          if (isReported) flush(); // what could not be written does not wait for the next call
          return;
        default:
          return;
      }
    },
    answered({ callId: call, tool }, answer) {
      const { behavior } = answer;
      if (behavior === 'deny')
        add({
          type: 'answer',
          call,
          tool,
          behavior,
          ...(answer.reason !== undefined && { reason: clean(answer.reason) }),
          ...(answer.by !== undefined && { by: answer.by }),
        });
      else {
        const { remember, updatedInput, mode, by } = answer;
        add({
          type: 'answer',
          call,
          tool,
          behavior,
          ...(remember && { rules: remember.rules, scope: remember.scope }),
          ...(updatedInput && recordedInput(updatedInput, secrets)),
          ...(mode && { mode }),
          ...(by !== undefined && { by }),
        });
      }
    },
    replied(call, answers) {
      add({ type: 'answer', ...(call !== undefined && { call }), answers: clean(answers) });
    },
    close() {
      if (file || waiting.length > 0) add({ type: 'end' });
      flush();
      file?.close();
      file = undefined;
      if (waiting.length > 0 && !isClosed) keepSpare(options, unwritten());
      isClosed = true; // closing twice has no effect
      waiting = [];
    },
  };
}

/** Keeps entries that could not be written to the data folder; the next start moves them to the log. */
function keepSpare({ dataFolder, sessionId, root, onProblem }: AuditLogOptions, entries: readonly Entry[]): void {
  try {
    const kept = entries.map((entry) => ({ root, entry }));
    keepAudit(dataFolder, sessionId, kept);
  } catch (error) {
    const why = messageOf(error);
    onProblem?.(
      `The last ${entries.length} entries of the audit log are lost: they could not be written to the temporary folder. ${why}`,
    );
  }
}

/** Adds entries that an earlier process has kept. Idempotent. */
export function appendToAudit(
  where: Pick<AuditLogOptions, 'dataFolder' | 'sessionId'>,
  kept: readonly KeptEntry[],
): void {
  const last = kept.at(-1);
  if (!last) return;
  const log = readAudit(sessionFolder(where.dataFolder, where.sessionId).path);
  const { n: _n, hash: _hash, ...written } = (log && checkAudit(log).entries.at(-1)) ?? {};
  if (JSON.stringify(written) === JSON.stringify(last.entry)) return; // already added by a process that was killed before it removed the kept entries
  const file = openAudit({ ...where, root: last.root });
  try {
    file.append(kept.map(({ entry }) => entry));
  } finally {
    file.close();
  }
}

/** Whether the call only reads inside the project or touches nothing, so that its start need not be recorded at once. */
const isFree = ({ trail = [] }: Decision): boolean =>
  trail.every(({ basis }) => basis === 'harmless' || basis === 'workspace' || basis === 'session');

function asEntry(
  { behavior, reason, injection, confinement, trail = [] }: Decision,
  cleanReason: (reason: string) => unknown,
) {
  const decided = trail.find((entry) => entry.decided);
  const rules = new Set(
    trail.flatMap(({ rule }) => {
      if (!rule) return [];
      const { list, text, file, line } = rule;
      return [`${list} ${text} (${line === undefined ? file : `${file}:${line}`})`];
    }),
  );
  return {
    behavior,
    reason: cleanReason(reason),
    ...(decided && { basis: decided.basis }),
    ...(injection && { injection: injection.code }),
    ...(confinement && { confinement }),
    ...(rules.size > 0 && { rules: [...rules] }),
  };
}

/** The input without secrets. If one was removed, the hash of the whole input allows comparing it with a known input. */
function recordedInput(input: unknown, secrets: readonly string[]): { input: unknown; input_sha256?: string } {
  const redacted: string[] = [];
  const shown = shortened(input, secrets, (name) => redacted.push(name));
  return { input: shown, ...(redacted.length > 0 && { input_sha256: measured(JSON.stringify(input)).sha256 }) };
}

/** The value for the log: without secrets, and with long texts shortened. */
function shortened(
  value: unknown,
  secrets: readonly string[],
  onRedacted = (_name: string): unknown => undefined,
): unknown {
  const { texts, size, isPlain } = searched(value);
  // Most values have no secret, and one search of all texts costs a quarter of a search of each.
  const all = texts.join('\n');
  const hasNone = isPlain && redactSecrets(all, secrets) === all;
  if (hasNone && size <= MAX_TEXT_CHARS) return JSON.parse(JSON.stringify(value));
  const clean = (name: string, text: string): string => {
    if (hasNone) return text;
    const redacted = redactSecrets(named(name, text), secrets).slice(named(name, '').length);
    if (redacted !== text) onRedacted(name);
    return redacted;
  };
  try {
    const text = JSON.stringify(value, (name, inner: unknown) => {
      if (typeof inner !== 'string') return inner;
      if (inner.length <= MAX_TEXT_CHARS) return clean(name, inner);
      return { ...measured(inner), start: clean(name, inner.slice(0, MAX_TEXT_CHARS)).slice(0, SHOWN_CHARS) };
    });
    if (text === undefined) return null;
    return text.length > MAX_INPUT_CHARS ? measured(JSON.stringify(value)) : JSON.parse(text);
  } catch (error) {
    return { unwritable: messageOf(error) }; // the input of an untyped tool may not be serializable
  }
}

/** Includes the name, which may indicate that the value is secret. */
const named = (name: string, text: string): string => `${name}: ${text}`;

/** All texts in a value with their names, and its approximate length. `isPlain`: it has only types that JSON has. */
function searched(value: unknown): { texts: string[]; size: number; isPlain: boolean } {
  const texts: string[] = [];
  let size = 0;
  const look = (name: string, inner: unknown, depth: number): boolean => {
    size += name.length + (typeof inner === 'string' ? inner.length : 10);
    if (typeof inner === 'string') texts.push(named(name, inner.slice(0, MAX_TEXT_CHARS)));
    if (inner === null || ['string', 'number', 'boolean'].includes(typeof inner)) return true;
    if (typeof inner !== 'object' || depth > MAX_DEPTH) return false;
    if (!Array.isArray(inner) && Object.getPrototypeOf(inner) !== Object.prototype) return false;
    return Object.entries(inner).every(([key, each]) => look(key, each, depth + 1));
  };
  const isPlain = look('', value, 0);
  return { texts, size, isPlain };
}

const measured = (text: string): { chars: number; sha256: string } => ({
  chars: text.length,
  sha256: sha256().update(text).digest('hex'),
});

interface AuditFile {
  append(entries: readonly Entry[]): void;
  close(): void;
}

/** Opens a new or existing log. Entries that can't be written leave the log unchanged. */
function openAudit({ dataFolder, sessionId, root }: AuditLogOptions): AuditFile {
  const { path } = sessionFolder(dataFolder, sessionId);
  makePrivateFolder(sessionsFolder(dataFolder));
  makePrivateFolder(path);
  const before = readAudit(path);
  let { n, hash } = before === undefined ? { n: 0, hash: NO_HASH } : lastOf(before);
  const log = openSync(join(path, 'audit.jsonl'), openFlags.append, 0o600);
  const headFlags = (openFlags.append & ~constants.O_APPEND) | constants.O_CREAT;
  let head: number | undefined;
  const close = (): void => {
    closeSync(log);
    if (head !== undefined) closeSync(head);
  };

  const append = (entries: readonly Entry[], prefix = ''): void => {
    const next = { n, hash };
    const lines = entries.map((entry) => {
      const body = JSON.stringify({ n: next.n + 1, prev: next.hash, ...entry });
      next.hash = sha256().update(body).digest('hex');
      next.n += 1;
      return `${body.slice(0, -1)},"hash":"${next.hash}"}\n`;
    });
    const { size } = fstatSync(log);
    try {
      head ??= openSync(join(path, 'audit.head'), headFlags, 0o600);
      writeWhole(log, prefix + lines.join(''));
      writeWhole(head, headLine(next), 0);
    } catch (error) {
      ftruncateSync(log, size);
      throw error;
    }
    ({ n, hash } = next);
  };
  const isNew = before === undefined || before.lines.length === 0;
  const begin = { at: new Date().toISOString(), type: isNew ? 'begin' : 'resume', session: sessionId, root };
  try {
    append([begin], before?.isCut ? '\n' : '');
  } catch (error) {
    close();
    throw error;
  }
  return { append: (entries) => append(entries), close };
}

/** Writes the number and the hash of the last entry beside a log that was copied without them. */
export function writeAuditHead(folder: string): void {
  const text = readAudit(folder);
  if (!text) return;
  const { n, hash } = lastOf(text);
  const head = openSync(join(folder, 'audit.head'), openFlags.update, 0o600);
  try {
    ftruncateSync(head);
    writeWhole(head, headLine({ n, hash }), 0);
  } finally {
    closeSync(head);
  }
}

/** Has a fixed length, so that it overwrites the previous one. */
const headLine = ({ n, hash }: { n: number; hash: string }): string => `${String(n).padStart(12)} ${hash}\n`;

function writeWhole(descriptor: number, text: string, position: number | null = null): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) {
    const at = position === null ? null : position + written;
    written += writeSync(descriptor, bytes, written, bytes.length - written, at);
  }
}
