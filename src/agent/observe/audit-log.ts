// Keeps what was asked for, decided and done in a session, in a file of its own where each line holds the hash of the one
// before it: a line that is changed, taken out or moved later does not fit any more. docs/audit.md says what that shows
// and what it can't.

import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentHappening } from '../../contract/event.js';
import type { Decision, PermissionAnswer } from '../../contract/permission.js';
import type { Answer } from '../../contract/question.js';
import { sha256 } from '../../platform/crypto.js';
import { unwritableNotice } from '../../platform/files/spare-folder.js';
import { clause } from '../../platform/text/clause.js';
import { redactSecrets } from '../store/redact-secrets.js';
import { makePrivateFolder, openFlags, sessionFolder, sessionsFolder } from '../store/session-folder.js';
import { type KeptEntry, keepAudit } from '../store/spare-records.js';
import { checkAudit, lastOf, NO_HASH, readAudit } from './read-audit.js';

const MAX_TEXT_CHARS = 2_000; // of a longer text the log holds the beginning, the length and the hash
const MAX_INPUT_CHARS = 20_000; // of a larger input as a whole, the length and the hash
const SHOWN_CHARS = 200;
const MAX_REASONS = 200;
const MAX_DEPTH = 50; // of a value that is searched as a whole; a cycle is deeper
const MAX_WAITING = 20_000; // entries that are kept for a disk that is full now and may not be later

export interface AuditLogOptions {
  dataFolder: string;
  sessionId: string;
  root: string;
  /** Values that are secret whatever they look like, such as keys of the environment. */
  secrets?: readonly string[];
  /** One sentence for the person when entries can't be written, once until they can. Calls go on all the same. */
  onProblem?: (sentence: string) => void;
}

export interface AuditLog {
  /** Everything that happens; what is not about calls is passed over. */
  take(happening: AgentHappening): void;
  /** The answer to a question about a call, by the person or the program that was asked. */
  answered(question: { callId: string; tool: string }, answer: PermissionAnswer): void;
  /** The answers to questions that the model has put. */
  replied(callId: string | undefined, answers: readonly Answer[]): void;
  /** Writes what waits and closes the file. Nothing may be taken after it. */
  close(): void;
}

type Entry = { type: string } & Readonly<Record<string, unknown>>;

export function createAuditLog(options: AuditLogOptions): AuditLog {
  const { secrets = [], onProblem = (sentence) => process.emitWarning(sentence, 'HelveWarning') } = options;
  const clean = (value: unknown): unknown => shortened(value, secrets);
  const reasons = new Map<string, unknown>(); // most decisions have one of a few
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
      const why = error instanceof Error ? error.message : String(error);
      onProblem(unwritableNotice(options, `The audit log was not written: ${clause(why)}.`));
    }
  };
  const add = (entry: Entry): void => {
    if (isClosed) return;
    if (waiting.length >= MAX_WAITING) dropped += 1;
    else waiting.push({ at: now(), ...entry });
  };

  return {
    take(happening) {
      switch (happening.type) {
        case 'tool_call': {
          const { callId: call, tool, input } = happening;
          running.add(call);
          add({ type: 'call', call, tool, ...recordedInput(input, secrets) });
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
          if (!harmless.has(call)) flush(); // whatever becomes of us, it is known that this began
          return;
        }
        case 'tool_result': {
          const { callId: call, tool, result, failure } = happening;
          const content = typeof result.content === 'string' ? result.content : JSON.stringify(result.content);
          const outcome = { ok: result.is_error !== true, ...(failure && { failure }) };
          // A denied call has no content. If no one could be asked, only this entry has the reason.
          const why = failure === 'permission_denied' && { reason: clean(content) };
          add({ type: 'result', call, tool, ...outcome, ...why, ...measured(content) });
          running.delete(call);
          const isFreeCall = harmless.delete(call);
          if (running.size === 0 || !isFreeCall) flush(); // also while other calls of the same answer are at work
          return;
        }
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
        });
      else {
        const { remember, updatedInput, mode } = answer;
        add({
          type: 'answer',
          call,
          tool,
          behavior,
          ...(remember && { rules: remember.rules, scope: remember.scope }),
          ...(updatedInput && recordedInput(updatedInput, secrets)),
          ...(mode && { mode }),
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
      isClosed = true; // who ends a session twice gets no second end
      waiting = [];
    },
  };
}

/** The data folder did not take these until the end: the next start moves them to the log. */
function keepSpare({ dataFolder, sessionId, root, onProblem }: AuditLogOptions, entries: readonly Entry[]): void {
  try {
    const kept = entries.map((entry) => ({ root, entry }));
    keepAudit(dataFolder, sessionId, kept);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    onProblem?.(
      `The last ${entries.length} entries of the audit log are lost: they could not be written to the temporary folder. ${why}`,
    );
  }
}

/** Adds entries that an earlier process has kept. Done again, it adds nothing. */
export function appendToAudit(
  where: Pick<AuditLogOptions, 'dataFolder' | 'sessionId'>,
  kept: readonly KeptEntry[],
): void {
  const last = kept.at(-1);
  if (!last) return;
  const log = readAudit(sessionFolder(where.dataFolder, where.sessionId).path);
  const { n: _n, hash: _hash, ...written } = (log && checkAudit(log).entries.at(-1)) ?? {};
  if (JSON.stringify(written) === JSON.stringify(last.entry)) return; // a process was killed between this and the next step
  const file = openAudit({ ...where, root: last.root });
  try {
    file.append(kept.map(({ entry }) => entry));
  } finally {
    file.close();
  }
}

/** Whoever only reads inside the project, or touches nothing, leaves nothing behind that would have to be explained. */
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

/** The input without secrets. Where one was left out, the hash of the whole input says whether it is one that you have. */
function recordedInput(input: unknown, secrets: readonly string[]): { input: unknown; input_sha256?: string } {
  const redacted: string[] = [];
  const shown = shortened(input, secrets, (name) => redacted.push(name));
  return { input: shown, ...(redacted.length > 0 && { input_sha256: measured(JSON.stringify(input)).sha256 }) };
}

/** The value as the log holds it: without secrets, nothing that the call did not have, and of long texts not even that. */
function shortened(
  value: unknown,
  secrets: readonly string[],
  onRedacted = (_name: string): unknown => undefined,
): unknown {
  const { texts, size, isPlain } = searched(value);
  // Most values hold no secret, and one search of all texts costs a quarter of a search of each.
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
    return { unwritable: error instanceof Error ? error.message : String(error) }; // of a tool written without types
  }
}

/** The name may say that the value is secret. */
const named = (name: string, text: string): string => `${name}: ${text}`;

/** All texts in a value, with their names, and about how many characters it has. `isPlain`: it holds only what JSON does. */
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

/** Opens the log, or goes on with the one that there is. Entries that can't be written leave the log as it was. */
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
      writeWhole(head, `${String(next.n).padStart(12)} ${next.hash}\n`, 0); // always of the same length, so it is written over
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

function writeWhole(descriptor: number, text: string, position: number | null = null): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) {
    const at = position === null ? null : position + written;
    written += writeSync(descriptor, bytes, written, bytes.length - written, at);
  }
}
