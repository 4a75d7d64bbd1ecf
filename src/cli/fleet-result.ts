// `helve fleet result`: what a session has done to its repository, as a branch, a patch or an archive.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Database } from '../fleet/postgres.js';
import type { FleetSession } from '../fleet/prompts.js';
import { PostgresStore } from '../fleet/store/postgres-store.js';
import type { Seal } from '../fleet/store/seal.js';
import { removeTree } from '../fleet/workspace/tree-files.js';
import { archiveTo, branchFrom, openResult, patchOf } from '../fleet/workspace/workspace-result.js';
import { messageOf } from '../platform/message-of.js';
import { clause } from '../platform/text/clause.js';
import { counted } from '../platform/text/counted.js';
import { UsageProblem } from './usage-problem.js';
import { writeLine } from './write-line.js';

export interface ResultRequest {
  database: Database;
  seal: Seal | undefined;
  session: FleetSession;
}

export interface ResultPlaces {
  branch?: string | undefined;
  patch?: string | undefined;
  archive?: string | undefined;
}

export async function writeResult(
  { database, seal, session }: ResultRequest,
  { branch, patch, archive }: ResultPlaces,
): Promise<void> {
  if (branch === undefined && patch === undefined && archive === undefined) {
    throw new UsageProblem('helve fleet result takes --branch NAME, --patch FILE or --archive FILE.');
  }
  const { sessionId, repository } = session;
  if (!repository) {
    throw new UsageProblem(
      `The session works in ${session.root} on the workers, not on a repository. What it has done is there.`,
    );
  }
  const folder = mkdtempSync(join(tmpdir(), 'helve-result-'));
  try {
    const store = new PostgresStore(database, { seal });
    const copy = await openResult(sessionId, repository, { folder, store, env: process.env });
    if (branch !== undefined) {
      const commits = await branchFrom(copy, process.cwd(), branch);
      await writeLine(process.stdout, `The branch ${branch} has ${counted(commits, 'new commit')}.`);
    }
    if (patch === '-') process.stdout.write(await patchOf(copy));
    else if (patch !== undefined) {
      writeNew(patch, await patchOf(copy));
      await writeLine(process.stdout, `The patch is in ${patch}. It applies to the commit ${copy.base}.`);
    }
    if (archive !== undefined) {
      await archiveTo(resolve(archive), copy).catch((error: unknown) => {
        throw new UsageProblem(`The archive can't be written to ${archive}: ${clause(messageOf(error))}.`);
      });
      await writeLine(process.stdout, `The files are in ${archive}.`);
    }
  } finally {
    removeTree(Buffer.from(folder));
  }
}

function writeNew(path: string, bytes: Buffer): void {
  try {
    writeFileSync(path, bytes, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new UsageProblem(`The patch can't be written to ${path}: ${clause(messageOf(error))}.`);
  }
}
