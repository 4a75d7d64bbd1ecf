// The workspaces of the sessions on this worker. A session works in the same path on every worker: what it has built, and
// what its model has read, names that path.
//
//   <workspaces>/<session>/              a repository of the session, which reads the objects of a mirror
//   <workspaces>/<session>.json          who has made it here, and when
//   <workspaces>/.<session>.<token>.*    one that is being made, or is being removed
//   <workspaces>/.mirrors/               see mirrors.ts
//   <workspaces>/.helve-workspaces       says that all of this is Helve's, and may be removed
import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isSessionId } from '../../agent/store/session-folder.js';
import { randomHex } from '../../platform/crypto.js';
import { readPrivateFile } from '../../platform/files/private-file.js';
import { makePrivateFolder } from '../../platform/files/private-files.js';
import { isObject } from '../../platform/is-object.js';
import { messageOf } from '../../platform/message-of.js';
import { parseJson } from '../../platform/parse-json.js';
import { clause } from '../../platform/text/clause.js';
import type { RecordStore, SessionOwner } from '../store/record-store.js';
import { endProcessesIn } from './end-left-processes.js';
import { makeCheckout } from './make-checkout.js';
import { Mirrors, mirrorOf } from './mirrors.js';
import { assertRef, assertRepository } from './repository-address.js';
import { RepositoryGit } from './repository-git.js';
import { restoreWorkspace } from './restore-workspace.js';
import { scanWorkspace } from './scan-workspace.js';
import { readSnapshots, snapshotFiles } from './stored-snapshots.js';
import { removeTree } from './tree-files.js';
import { WorkspaceProblem } from './workspace-problem.js';
import { WorkspaceSnapshots } from './workspace-snapshots.js';

const SETTLE_MS = 40; // for the clock of the file system: what was written before has an older time than what comes
const OF_WORKSPACES = ['.helve-workspaces', '.mirrors'] as const;
const REMEMBERED = 100;
const UNUSED_MS = 7 * 24 * 3_600_000;
const DEFAULT_MAX_BYTES = 4_000_000_000;

/** The repository that a session is for. */
export interface WantedRepository {
  url: string;
  /** Default: the branch that the server names. */
  ref: string | undefined;
}

export interface FleetWorkspacesOptions {
  /** The same path on every worker. Made if it is missing. */
  folder: string;
  store: RecordStore;
  /** Of the worker: git finds credentials by it. */
  env: Readonly<Record<string, string | undefined>>;
  /** Of the snapshots of one session. */
  maxBytes?: number | undefined;
  fetchTimeoutMs?: number | undefined;
}

/** The workspace of a session that runs here. */
export interface OpenWorkspace {
  root: string;
  /** Resolves once everything that it has now is in the store. */
  save(): Promise<void>;
  /** It was saved, and nothing runs in it: the next prompt may use it as it is. */
  leave(): void;
}

/** A workspace that this process has left as it is stored. */
interface Left {
  /** Of its marker. */
  token: string;
  snapshots: WorkspaceSnapshots;
}

export class FleetWorkspaces {
  readonly #options: FleetWorkspacesOptions;
  readonly #folder: string;
  readonly #git: RepositoryGit;
  readonly #mirrors: Mirrors;
  readonly #left = new Map<string, Left>();

  constructor(options: FleetWorkspacesOptions) {
    this.#options = options;
    this.#folder = workspacesFolder(options.folder);
    this.#git = new RepositoryGit(options.env);
    this.#mirrors = new Mirrors({
      folder: join(this.#folder, '.mirrors'),
      git: this.#git,
      timeoutMs: options.fetchTimeoutMs,
    });
  }

  /** Makes the workspace of the session as it was last stored, or from its repository. Rejects with `WorkspaceProblem`. */
  async open(owner: SessionOwner, repository: WantedRepository): Promise<OpenWorkspace> {
    const { sessionId } = owner;
    if (!isSessionId(sessionId)) throw new TypeError(`"${sessionId}" is not the id of a session.`);
    assertRepository(repository.url);
    if (repository.ref !== undefined) assertRef(repository.ref);
    const root = join(this.#folder, sessionId);
    this.#removeUnused(sessionId);
    const snapshots = (await this.#reopened(owner, root)) ?? (await this.#made(owner, root, repository));
    const token = this.#mark(sessionId);
    return {
      root,
      save: async () => {
        await snapshots.take();
        this.#mark(sessionId, token);
      },
      leave: () => {
        this.#left.set(sessionId, { token, snapshots });
        const [oldest] = this.#left.keys();
        if (this.#left.size > REMEMBERED && oldest !== undefined) this.#left.delete(oldest);
      },
    };
  }

  /** The workspace that this process has left, with what a person has changed in it since, such as by `helve undo`. */
  async #reopened(owner: SessionOwner, root: string): Promise<WorkspaceSnapshots | undefined> {
    const left = this.#left.get(owner.sessionId);
    this.#left.delete(owner.sessionId);
    if (!left || markerOf(this.#markerPath(owner.sessionId)) !== left.token || !existsSync(root)) return undefined;
    const stored = await this.#options.store.files(owner.sessionId);
    const { tree, content } = left.snapshots.sizes;
    if (stored.get(snapshotFiles.tree) !== tree || (stored.get(snapshotFiles.content) ?? 0) !== content)
      return undefined;
    return this.#snapshots(owner, root, left.snapshots);
  }

  async #made(owner: SessionOwner, root: string, { url, ref }: WantedRepository): Promise<WorkspaceSnapshots> {
    const { store } = this.#options;
    const { sessionId } = owner;
    const { tree, sizes } = await readSnapshots(store, sessionId, await store.files(sessionId));
    if (tree.base && tree.base.root !== root) {
      throw new WorkspaceProblem(
        `The session works in ${tree.base.root}, and this worker keeps workspaces in ${this.#folder}. Start all workers with the same --workspaces, and send a prompt to the session again.`,
      );
    }
    if (tree.base) await this.#mirrors.hold(url, tree.base.commit);
    const commit = tree.base?.commit ?? (await this.#mirrors.fetched(url, ref));
    const draft = join(this.#folder, `.${sessionId}.${randomHex(6)}.new`);
    try {
      const branch = `helve/${sessionId.slice(0, 8)}`;
      await makeCheckout(draft, { git: this.#git, mirror: this.#mirrors.pathOf(url), url, commit, branch });
      await restoreWorkspace(draft, tree, { store, sessionId, content: snapshotFiles.content });
    } catch (error) {
      removeTree(Buffer.from(draft));
      throw error;
    }
    this.#setAside(sessionId, root);
    renameSync(draft, root);
    await delay(SETTLE_MS);
    const scanned = await scanWorkspace(root);
    const snapshots = this.#snapshots(owner, root, { stored: tree, sizes, scanned });
    if (!tree.base) await snapshots.append({ base: { commit, root } });
    return snapshots;
  }

  #snapshots(
    owner: SessionOwner,
    root: string,
    { stored, sizes, scanned }: Pick<WorkspaceSnapshots, 'stored' | 'sizes' | 'scanned'>,
  ): WorkspaceSnapshots {
    const { store, maxBytes = DEFAULT_MAX_BYTES } = this.#options;
    return new WorkspaceSnapshots({ root, store, owner, files: snapshotFiles, maxBytes, stored, sizes, scanned });
  }

  /** What a worker that was lost has left here: it may hang, and what it has started may still write. */
  #setAside(sessionId: string, root: string): void {
    if (existsSync(root)) {
      const aside = join(this.#folder, `.${sessionId}.${randomHex(6)}.old`);
      renameSync(root, aside);
      endProcessesIn(aside);
    }
    for (const name of readdirSync(this.#folder)) {
      const isLeftOver = name.startsWith(`.${sessionId}.`) && name.endsWith('.old');
      if (isLeftOver) removeTree(Buffer.from(join(this.#folder, name)));
    }
  }

  #markerPath(sessionId: string): string {
    return join(this.#folder, `${sessionId}.json`);
  }

  #mark(sessionId: string, token = randomHex(12)): string {
    writeFileSync(this.#markerPath(sessionId), JSON.stringify({ token }), { mode: 0o600 });
    return token;
  }

  /** Removes workspaces that nothing was saved of for a week: the store has them. */
  #removeUnused(wanted: string): void {
    const names = readdirSync(this.#folder);
    for (const name of names) {
      const path = join(this.#folder, name);
      const isDraft = /^\.[\w-]+\.[0-9a-f]+\.(?:new|old)$/.test(name);
      const sessionId = name.replace(/\.json$/, '');
      if (!isDraft && (!name.endsWith('.json') || sessionId === wanted)) continue;
      const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {};
      if (Date.now() - mtimeMs < UNUSED_MS) continue;
      if (isDraft) removeTree(Buffer.from(path));
      else {
        removeTree(Buffer.from(join(this.#folder, sessionId)));
        rmSync(path, { force: true });
      }
    }
    this.#mirrors.removeUnused((mirror) => names.some((name) => mirrorOf(join(this.#folder, name)) === mirror));
  }
}

/** What is not used there is removed after a while, and others may not read it: a folder with other files is refused. */
function workspacesFolder(folder: string): string {
  try {
    const names = existsSync(folder) ? readdirSync(folder) : [];
    const isOurs = names.every((name) => name === 'lost+found') || OF_WORKSPACES.some((name) => names.includes(name));
    if (!isOurs) throw new Error('it has files that are not workspaces of Helve');
    makePrivateFolder(folder);
    writeFileSync(join(folder, OF_WORKSPACES[0]), '', { flag: 'a', mode: 0o600 });
    return realpathSync(folder);
  } catch (error) {
    throw new WorkspaceProblem(
      `The folder of --workspaces, ${folder}, can't be used: ${clause(messageOf(error))}. Name an empty folder of this user, or one that does not exist yet.`,
      { cause: error },
    );
  }
}

/** Makes the workspace of a session, as it was last stored, in another folder: to look at, not to work in. */
export async function copyWorkspace(
  sessionId: string,
  { url }: Pick<WantedRepository, 'url'>,
  { folder, store, env }: Pick<FleetWorkspacesOptions, 'folder' | 'store' | 'env'>,
): Promise<{ root: string; commit: string; git: RepositoryGit }> {
  const { tree } = await readSnapshots(store, sessionId, await store.files(sessionId));
  if (!tree.base) {
    throw new WorkspaceProblem(
      `The session ${sessionId} has no workspace in the database: it works in a folder of the workers, or has not begun yet.`,
    );
  }
  const git = new RepositoryGit(env);
  const mirrors = new Mirrors({ folder: join(folder, 'mirrors'), git });
  await mirrors.hold(url, tree.base.commit);
  const root = join(folder, 'copy');
  mkdirSync(root, { mode: 0o700 });
  const { commit } = tree.base;
  await makeCheckout(root, { git, mirror: mirrors.pathOf(url), url, commit, branch: `helve/${sessionId.slice(0, 8)}` });
  await restoreWorkspace(root, tree, { store, sessionId, content: snapshotFiles.content });
  return { root, commit, git };
}

function markerOf(path: string): unknown {
  try {
    const marker = parseJson(readPrivateFile(path) ?? '');
    return isObject(marker) ? marker['token'] : undefined;
  } catch {
    return undefined;
  }
}
