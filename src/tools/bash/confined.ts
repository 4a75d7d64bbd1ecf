// Confines commands that were allowed without approval by the user or a command rule: what they may see and write is
// derived from the effects that were judged.

import { lstatSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Effect, FileEffect } from '../../contract/effect.js';
import { ToolFailure } from '../../contract/failure.js';
import type { SessionPort, ToolContext } from '../../contract/tool-context.js';
import { isInside, realPathSync } from '../../platform/files/paths.js';
import type { ConfinedView } from '../../platform/sandbox/confined-view.js';
import { type Confiner, chooseConfiner, type FoundConfiner } from '../../platform/sandbox/confiner.js';
import { createRepositoryFinder } from '../../platform/sandbox/find-repositories.js';
import { gitOuterPaths } from '../../platform/sandbox/git-outer-paths.js';
import { effectsAreComplete, runsOutside } from '../../platform/sandbox/sandboxed-effects.js';
import { protectedPaths, secretPaths } from '../../platform/sandbox/sensitive-paths.js';
import { createUnreadableFinder, type UnreadableSearch } from '../../platform/sandbox/unreadable-files.js';
import type { WrapShell } from '../../platform/shell/wrap-shell.js';
import { clause } from '../../platform/text/clause.js';
import { environmentFile } from './shell-environment.js';

/** How one command is confined. */
export interface ConfinedShell {
  wrap: WrapShell;
  /** Whether a read-only command must run again, because a hidden file was replaced or added since the last call. */
  hasChanged(): boolean;
  /** What the model needs to know to interpret the output. */
  note?: string | undefined;
}

/** Finds out whether commands can be confined, before one is judged. Irrelevant in a mode that allows everything. */
export async function probeConfinement(session: SessionPort): Promise<void> {
  if (session.mode === 'bypassPermissions') return;
  await Promise.all([session.own(sessionConfiner), session.sandbox && findSandbox(session)]);
}

/** Loads the code only if settings turn the sandbox on. */
async function findSandbox(session: SessionPort): Promise<void> {
  const { tryOutSandbox } = await import('./sandboxed.js');
  await tryOutSandbox(session);
}

/** This machine's means to confine commands, probed once per session; decisions rely on the result. */
async function sessionConfiner(session: SessionPort): Promise<FoundConfiner> {
  const { env, workspace } = session;
  const found = await chooseConfiner({ env, workspace });
  session.walls = found.confiner ? 'full' : 'none';
  if (!found.confiner) session.whyUnconfined = found.why;
  return found;
}

/** For a call that is confined to its effects; undefined for others. */
export async function confinedShell(
  context: ToolContext,
  { leaves = false }: { leaves?: boolean | undefined } = {},
): Promise<ConfinedShell | undefined> {
  const { session, approved = [], confinement = 'approved' } = context;
  if (confinement === 'none') return undefined;
  if (confinement === 'approved' || confinement === 'sandbox') {
    return leaves ? undefined : await confinedToEffects(context);
  }
  const { confiner, ...missing } = await session.own(sessionConfiner);
  if (!confiner) {
    const why = 'why' in missing ? ` ${missing.why}` : '';
    throw new ToolFailure(
      `The command was not run: it was allowed because it would be confined, and it can't be.${why}`,
      { advice: 'Ask the user about it.' },
    );
  }
  const seen = session.own(sessionView);
  const before = seen.fingerprint(); // creating the view lists the files to hide
  const named = specialView(context, approved, seen.view());
  const special = named && (await withRepositories(named, session));
  return {
    wrap: special ? started(confiner, session, () => special) : readyMade(confiner, session),
    hasChanged: () => confinement === 'reads' && seen.fingerprint() !== before,
    note: approved.some(isGit) ? hiddenNote(seen.hidden()) : undefined,
  };
}

/** For an approved command that settings confine to its effects; undefined if they don't, or if effects are unknown. */
async function confinedToEffects(context: ToolContext): Promise<ConfinedShell | undefined> {
  const { session, approved = [], notOpened = [], confinement } = context;
  const { mode, excluded = [] } = session.sandbox ?? {};
  if (mode !== 'effects' || !effectsAreComplete(approved)) return undefined;
  if (confinement !== 'sandbox' && runsOutside(approved, excluded)) return undefined;
  const { confiner } = await session.own(sessionConfiner);
  if (!confiner) return undefined;
  const isOpened = (effect: Effect): boolean =>
    !(effect.kind === 'file' && isWrite(effect) && notOpened.includes(effect)) ||
    session.workspace.some((folder) => isInside(folder, effect.real));
  const view = viewForEdits(context, approved.filter(isOpened));
  return view && { wrap: started(confiner, session, () => view), hasChanged: () => false };
}

/** Undefined if a file can't be opened on its own, or if the user approved a write to a protected path. */
function viewForEdits(context: ToolContext, effects: readonly Effect[]): ConfinedView | undefined {
  const seen = context.session.own(sessionView);
  seen.fingerprint();
  const standard = seen.view();
  try {
    const view = specialView({ ...context, confinement: 'edits' }, effects, standard) ?? standard;
    const written = effects.filter((effect) => effect.kind === 'file').filter(isWrite);
    const isKept = written.some(({ real }) => view.readOnly.some((path) => isInside(path, real)));
    return isKept ? undefined : view;
  } catch (error) {
    if (error instanceof ToolFailure) return undefined;
    throw error;
  }
}

/** The same for shells that are started in advance; undefined if commands are not confined. */
export async function confinementForReadyShell(session: SessionPort): Promise<WrapShell | undefined> {
  if (session.mode === 'bypassPermissions') return undefined;
  const { confiner } = await session.own(sessionConfiner);
  if (confiner) await session.own(sessionView).prepare();
  return confiner && readyMade(confiner, session);
}

function readyMade(confiner: Confiner, session: SessionPort): WrapShell {
  const seen = session.own(sessionView);
  return { ...started(confiner, session, seen.view, seen), completeAs: seen.key() };
}

function started(
  confiner: Confiner,
  session: SessionPort,
  view: () => ConfinedView,
  seen?: SessionView,
): WrapShell & { completeAs: string } {
  return {
    completeAs: '', // no shell is kept ready for it
    async start({ folder: _, ...command }) {
      const fingerprint = seen?.fingerprint();
      const wrapped = confiner.confine(command, view());
      const report = async (): Promise<void> => {
        for (const sentence of await wrapped.ended()) session.remind(sentence);
      };
      const ended = (): Promise<void> => session.own(openReports).add(report());
      return { ...wrapped, ended, ...(seen && { isCurrent: () => seen.latest() === fingerprint }) };
    },
  };
}

/** Pending reports on finished commands. The session waits for them before it ends. */
function openReports(session: SessionPort): { add(report: Promise<void>): Promise<void> } {
  const open = new Set<Promise<void>>();
  session.atEnd(async () => void (await Promise.all(open)));
  return {
    add(report) {
      const settled = report.catch(() => {}).finally(() => open.delete(settled));
      open.add(settled);
      return settled;
    },
  };
}

interface SessionView {
  /** Finds hidden files in advance, before there is a command. */
  prepare(): Promise<void>;
  /** What every command of the session sees unless it names other paths. */
  view(): ConfinedView;
  /** Changes when settings change the view. */
  key(): string;
  /** A fingerprint of the hidden files and visible folders as they are now, by identity. */
  fingerprint(): string;
  /** The last fingerprint. */
  latest(): string;
  /** The hidden files of the last fingerprint. */
  hidden(): readonly string[];
}

function sessionView(session: SessionPort): SessionView {
  const finder = createUnreadableFinder();
  const { dataFolder, resultsFolder } = session;
  const home = session.home ?? '/';
  const temp = join(dirname(resultsFolder), 'tmp');
  const own = [resultsFolder, temp, ...environmentFile(session.env, session.workspace[0] ?? '/')];
  let unreadable: string[] = [];
  let latest = '';
  const reported = new Set<string>();
  const search = (): UnreadableSearch | undefined => {
    const files = session.fileRules?.unreadable;
    const { workspace } = session;
    return files && { files, workspace, needed: [...workspace, temp, resultsFolder] };
  };
  const find = (): string[] => {
    const wanted = search();
    if (!wanted) return [];
    const { paths, notes, isTooMany } = finder.find(wanted);
    if (isTooMany) {
      throw cannotConfine('rules keep more files from being read than can be hidden. Deny their folder as a whole');
    }
    for (const note of notes.filter((one) => !reported.has(one))) {
      reported.add(note);
      session.remind(note);
    }
    return paths;
  };
  return {
    async prepare() {
      const wanted = search();
      if (wanted) await finder.prepare(wanted);
    },
    view: () => ({
      workspace: session.workspace,
      readable: [...own, ...(session.fileRules?.readable ?? [])],
      writable: [],
      extendable: [],
      expected: [],
      readOnly: [],
      hidden: [...secretPaths(home, dataFolder), ...(session.sandbox?.denyRead ?? [])],
      unreadable,
      home,
    }),
    key: () => JSON.stringify([session.workspace, session.fileRules?.unreadable?.key, session.fileRules?.readable]),
    fingerprint() {
      unreadable = find();
      latest = JSON.stringify([...session.workspace, ...unreadable].map((path) => [path, identityOf(path)]));
      return latest;
    },
    latest: () => latest,
    hidden: () => unreadable,
  };
}

/** A file that replaces another has another inode, or at least another birth time. */
function identityOf(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  return stats ? `${stats.dev}:${stats.ino}:${stats.birthtimeNs}` : '';
}

/** The view for a command that names paths beyond the common view; undefined if it names none. */
function specialView(
  { session, cwd, root, confinement }: ToolContext,
  approved: readonly Effect[],
  standard: ConfinedView,
): ConfinedView | undefined {
  const files = approved.filter((effect) => effect.kind === 'file');
  const folders = [...standard.workspace, ...standard.readable];
  const isSeen = (path: string): boolean => folders.some((folder) => isInside(folder, path));
  const read = files.filter(({ access }) => access === 'read').flatMap(({ path, real }) => [path, real]);
  const forGit = approved.some(isGit) ? [cwd, ...standard.workspace].flatMap(gitOuterPaths) : [];
  const readable = [...new Set([...read, ...forGit])].filter((path) => !isSeen(path) && !path.startsWith('/dev/'));
  const written = confinement === 'edits' ? files.filter(isWrite) : [];
  const opened = written.map((effect) => openedFor(effect, session.home ?? '/'));
  const seesProcesses = approved.some((effect) => effect.kind === 'command' && effect.observes === 'processes');
  const isElsewhere = !isSeen(cwd);
  if (readable.length === 0 && opened.length === 0 && !seesProcesses && !isElsewhere) return undefined;
  const workspace = [...new Set([root, ...session.workspace])];
  return {
    ...standard,
    readable: [...standard.readable, ...readable],
    writable: [...new Set(opened.flatMap(({ writable = [] }) => writable))],
    extendable: [...new Set(opened.flatMap(({ extendable = [] }) => extendable))],
    expected: written.map(({ real }) => real),
    readOnly:
      opened.length > 0
        ? [...protectedPaths(workspace, standard.home), ...workspace.map(gitIn), ...(session.sandbox?.denyWrite ?? [])]
        : [],
    ...(isElsewhere && { directory: cwd }),
    ...(seesProcesses && { seesProcesses }),
  };
}

/** Git compares what it sees with its index, so hidden files look deleted. */
function hiddenNote(hidden: readonly string[]): string | undefined {
  if (hidden.length === 0) return undefined;
  const more = hidden.length > MAX_NAMED ? ` and ${hidden.length - MAX_NAMED} more` : '';
  return `Rules keep these files from being read, so they are hidden from commands, and git may report them as changed or deleted although they are not: ${hidden.slice(0, MAX_NAMED).join(', ')}${more}.`;
}

const MAX_NAMED = 3; // hidden files per note

const isGit = (effect: Effect): boolean =>
  effect.kind === 'command' && (effect.argv ?? effect.words)?.[0]?.split('/').at(-1) === 'git';

const gitIn = (folder: string): string => join(folder, '.git');

/** Adds the repositories in the writable trees, which must stay unchanged. */
async function withRepositories(view: ConfinedView, session: SessionPort): Promise<ConfinedView> {
  if (view.writable.length === 0) return view;
  const { repositories } = await session.own(sessionRepositories)(view.writable);
  const held = repositories.flatMap(({ gitFolder, link }) => [gitFolder, ...(link === undefined ? [] : [link])]);
  return { ...view, readOnly: [...view.readOnly, ...held] };
}

const sessionRepositories = () => createRepositoryFinder();

const isWrite = ({ access, real }: FileEffect): boolean => access === 'write' && !real.startsWith('/dev/');

/**
 * What must be writable so that a file is. Programs replace a file by rename, and remove it through its folder, so the
 * folder must be writable; but never a home folder, where only the file itself is.
 */
function openedFor(
  { real, path, tree, removes, unresolved }: FileEffect,
  home: string,
): { writable?: string[]; extendable?: string[] } {
  if (unresolved !== undefined) throw cannotConfine(`it is not known which file ${unresolved} names`);
  const stats = statSync(real, { throwIfNoEntry: false });
  const folder = nearestFolder(dirname(real));
  const isTooMuch = isInside(folder, realPathSync(home));
  if (stats?.isDirectory() && tree && !removes) return { writable: [real] };
  if (!isTooMuch) return { ...(stats && { writable: [real] }), extendable: [folder] };
  if (stats) return { writable: [real] };
  throw cannotConfine(`${path} does not exist, and all of ${folder} would have to be writable`);
}

const nearestFolder = (path: string): string =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : nearestFolder(dirname(path));

const cannotConfine = (why: string): ToolFailure =>
  new ToolFailure(
    `The command was not run: it was allowed because it would be confined to what it writes, and it can't be: ${clause(why)}.`,
    { advice: 'Write the file with another tool, or ask the user.' },
  );
