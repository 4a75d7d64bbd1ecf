// Plans a patch in memory: every error in it is found here, before anything is written.

import { lstat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { SeenFile, ToolContext } from '../../../contract/tool-context.js';
import { hashOf } from '../../../platform/crypto.js';
import { fileIdentity, isInside, shortPath } from '../../../platform/files/paths.js';
import { refusal } from '../../refusal.js';
import { locate, type TargetFile } from '../../target-file.js';
import { checkDeletable, checkSeenWhole, seenOf } from '../check-editable.js';
import { checkPlace } from '../check-place.js';
import type { FilePlan } from '../fit-to-disk.js';
import { type LoadedText, loadText } from '../load-text.js';
import type { ChangedText } from '../match/edit-text.js';
import { type TextLines, textLines } from '../match/text-lines.js';
import { countingRefusals, planChange } from '../plan-change.js';
import { replacement } from '../whole-text.js';
import { applyHunks } from './apply-hunks.js';
import { type FilePatch, type Hunk, parsePatch } from './patch-format.js';

/** What will happen to one file, with everything that is needed to do it. */
export type PatchChange<File = FilePlan> =
  | { type: 'add'; target: TargetFile; text: TextLines; bytes: Buffer }
  | { type: 'delete'; target: TargetFile; before: LoadedText }
  | { type: 'update'; target: TargetFile; moveTo?: MoveTarget; file: File };

/** The target of a move, and the file that already exists there. */
export interface MoveTarget extends TargetFile {
  before: LoadedText | undefined;
}

export const pathsOf = (file: FilePatch): string[] =>
  file.type === 'update' && file.moveTo !== undefined ? [file.path, file.moveTo] : [file.path];

/** All checks of a patch, shared by validation and execution, so that they can't disagree. */
export async function planPatch(text: string, context: ToolContext): Promise<PatchChange[]> {
  if (!text.isWellFormed()) {
    throw refusal('The patch holds half of a surrogate pair, which is no character. Nothing was written.', {
      advice: 'Send whole characters.',
    });
  }
  const files = parsePatch(text);
  await refuseTwins(files, context);
  const changes = new Map<string, PatchChange>();
  for (const file of files) {
    await setImmediate(); // a patch of many files must not delay a cancel
    context.signal.throwIfAborted();
    const target = await locate(file.path, context);
    const earlier = changes.get(target.real);
    if (!earlier) changes.set(target.real, await planFile(target, file, context));
    else {
      const both = await planAgain(earlier, file, context);
      if (both) changes.set(target.real, both);
      else changes.delete(target.real);
    }
  }
  const planned = [...changes.values()];
  planned.forEach(refuseIdle);
  return planned;
}

/** A moved file and its target may be named only once: otherwise the outcome would be ambiguous. */
async function refuseTwins(files: readonly FilePatch[], context: ToolContext): Promise<void> {
  const named = new Map<string, { isMoved: boolean }>();
  for (const file of files) {
    const isMoved = file.type === 'update' && file.moveTo !== undefined;
    for (const path of pathsOf(file)) {
      const { real, shown } = await locate(path, context);
      if ((named.get(real)?.isMoved ?? isMoved) && named.has(real)) {
        throw refusal(`The patch names ${shown} twice and moves it, so the result is unclear. Nothing was written.`, {
          advice: `Put all its changes below one line "*** Update File: ${path}".`,
        });
      }
      named.set(real, { isMoved });
    }
  }
  for (const folder of named.keys()) {
    const inside = [...named.keys()].find((real) => real !== folder && isInside(folder, real));
    if (inside === undefined) continue;
    throw refusal(
      `The patch has a file at ${shortPath(context.cwd, folder)} and another below it, at ${shortPath(context.cwd, inside)}, and a place can't be both a file and a folder. Nothing was written.`,
      { advice: 'Choose another path for one of them.' },
    );
  }
}

async function planFile(target: TargetFile, file: FilePatch, context: ToolContext): Promise<PatchChange> {
  if (file.type === 'add') return await planAddition(target, file, context);
  if (file.type === 'delete') {
    await refuseLink(target, 'deleted');
    const before = await loadText(target, context);
    checkDeletable(context.session.ledger, target, before);
    return { type: 'delete', target, before };
  }
  const moveTo = file.moveTo === undefined ? undefined : await locate(file.moveTo, context);
  const place = moveTo && (await planMove(target, moveTo, context));
  const { signal } = context;
  const make = async (loaded: LoadedText, seen: SeenFile): Promise<ChangedText> =>
    await applyHunks(target, loaded, seen, file.hunks, signal);
  const change = { action: 'patch', name: 'the patch', make, makeBlind: make } as const;
  const planned = await countingRefusals(target, file, context, () => planChange(target, change, context));
  return { type: 'update', target, ...(place && { moveTo: place }), file: planned };
}

/** A new file, or new content for one that the model has seen whole. */
async function planAddition(
  target: TargetFile,
  { lines, path }: Extract<FilePatch, { type: 'add' }>,
  context: ToolContext,
): Promise<PatchChange> {
  const content = contentOf(lines);
  if (fileIdentity(target.real) === undefined) {
    await checkPlace(target, context);
    return added(target, content);
  }
  refuseUnread(target, context, `Read it first to replace it, or use "*** Update File: ${path}" to change it.`);
  const make = (file: LoadedText, seen: SeenFile): ChangedText => {
    checkSeenWhole(target, seen, file);
    return replacement(file, content);
  };
  return {
    type: 'update',
    target,
    file: await planChange(target, { action: 'patch', name: 'the patch', make }, context),
  };
}

const contentOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

const added = (target: TargetFile, content: string): PatchChange => ({
  type: 'add',
  target,
  text: textLines(content),
  bytes: Buffer.from(content),
});

async function planMove(from: TargetFile, to: TargetFile, context: ToolContext): Promise<MoveTarget> {
  await refuseLink(from, 'moved');
  if (fileIdentity(to.real) === undefined) {
    await checkPlace(to, context);
    return { ...to, before: undefined };
  }
  refuseUnread(to, context, 'Choose another name, or read it first to replace it.');
  await refuseLink(to, 'replaced');
  const before = await loadText(to, context);
  const { ledger } = context.session;
  checkSeenWhole(to, seenOf(ledger, to, 'patch'), before);
  checkDeletable(ledger, to, before); // refuses a file that changed on disk
  return { ...to, before };
}

/** Adding a file must not destroy content that the model has not seen. */
function refuseUnread({ real, shown }: TargetFile, { session: { ledger } }: ToolContext, next: string): void {
  if (ledger.get(real)) return;
  throw refusal(`${shown} exists already, so no new file can be put there. Nothing was written.`, { advice: next });
}

/** It is ambiguous whether the link or its target is meant. */
async function refuseLink({ path, shown }: TargetFile, what: 'deleted' | 'moved' | 'replaced'): Promise<void> {
  const stats = await lstat(path).catch(() => undefined); // a missing file is reported when it is opened
  if (!stats?.isSymbolicLink()) return;
  throw refusal(
    `${shown} is a link, so it was not ${what}: the file behind it would be lost or the link lead nowhere. Nothing was written.`,
    { advice: 'Name the file itself, or use Bash.' },
  );
}

/** A later part of the patch for a file that an earlier part changes: it is applied to the earlier result. */
async function planAgain(
  earlier: PatchChange,
  file: FilePatch,
  { signal, session: { ledger } }: ToolContext,
): Promise<PatchChange | undefined> {
  const { target } = earlier;
  const before =
    earlier.type === 'update' ? earlier.file.before : earlier.type === 'delete' ? earlier.before : undefined;
  if (earlier.type === 'update' && !earlier.file.changed) {
    throw refusal(
      `${target.shown} changed on disk after it was read, and the patch changes it in two parts that do not both fit. Nothing was written.`,
      { advice: 'Read it again, then send one part.' },
    );
  }
  // An update requires only part of the file to be known; replacing or deleting its content requires all of it.
  if (before && file.type !== 'update') checkDeletable(ledger, target, before);
  if (file.type === 'delete') return before && { type: 'delete', target, before };
  if (file.type === 'add') {
    const content = contentOf(file.lines);
    if (!before) return added(target, content);
    return { type: 'update', target, file: { target, before, changed: replacement(before, content) } };
  }
  if (earlier.type === 'delete') {
    throw refusal(`The patch deletes ${target.shown} and updates it afterwards. Nothing was written.`, {
      advice: 'Leave one of the two out.',
    });
  }
  if (earlier.type === 'add') {
    const loaded = asLoaded(earlier.bytes, earlier.text.raw);
    return added(target, (await hunksOn(target, loaded, 'all', file.hunks, signal)).text.raw);
  }
  const { changed } = earlier.file;
  if (!changed) return earlier;
  const loaded = {
    ...earlier.file.before,
    ...asLoaded(changed.bytes, changed.text.raw),
    format: earlier.file.before.format,
  };
  const again = await hunksOn(target, loaded, changed.lines, file.hunks, signal);
  const notes = [...new Set([...changed.notes, ...again.notes])];
  const replacements = changed.replacements + again.replacements;
  const both = { ...again, notes, replacements, done: `${changed.done}, then ${again.done}` };
  return {
    ...earlier,
    file: { target, before: earlier.file.before, changed: changed.merged ? { ...both, merged: true } : both },
  };
}

async function hunksOn(
  target: TargetFile,
  loaded: LoadedText,
  lines: SeenFile['lines'],
  hunks: readonly Hunk[],
  signal: AbortSignal,
): Promise<ChangedText> {
  const seen: SeenFile = { hash: loaded.hash, size: loaded.bytes.length, at: new Date(), lines };
  return await applyHunks(target, loaded, seen, hunks, signal);
}

const asLoaded = (bytes: Buffer, text: string): LoadedText => ({
  bytes,
  text,
  format: { encoding: 'utf-8', bom: false },
  hash: hashOf(bytes),
  modified: new Date(),
  names: 1,
});

function refuseIdle(change: PatchChange): void {
  if (change.type !== 'update' || change.moveTo || !change.file.changed?.bytes.equals(change.file.before.bytes)) return;
  throw refusal(`The patch leaves ${change.target.shown} as it is, so there is nothing to do. Nothing was written.`);
}
