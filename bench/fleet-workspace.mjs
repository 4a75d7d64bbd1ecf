// What the workspace of a session costs: made from its repository, looked at, stored and made again, on PostgreSQL.
// node scripts/fetch-postgres.mjs fetches the database.   FILES=10000
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importSource } from './bundle-source.mjs';

const FILES = Number(process.env.FILES ?? 10_000);
const CHANGED = 100;
const BUILT_MB = 50;
const PER_FOLDER = 100;

const { openDatabase, FleetWorkspaces, PostgresStore, LocalPostgres } = await importSource('bench/fleet-source.ts');
const postgres = await LocalPostgres.start();
const database = await openDatabase(postgres.url);
const place = mkdtempSync(join(tmpdir(), 'helve-bench-'));
try {
  const url = `file://${makeRepository()}`;
  const store = new PostgresStore(database);
  const folder = join(place, 'workspaces');
  const open = async () =>
    new FleetWorkspaces({ folder, store, env: process.env }).open(await store.claim('session'), { url });
  console.log(`### A workspace of ${FILES} files (Node ${process.versions.node})\n\n| | ms |\n|---|--:|`);
  await measure('made from its repository, which is fetched', open);
  const workspace = await measure('made again from the mirror', open);
  await workspace.save();
  await measure('looked at, nothing has changed', () => workspace.save());
  for (let file = 0; file < CHANGED; file += 1) appendFileSync(nameOf(workspace.root, file), 'more\n');
  await measure(`${CHANGED} changed files stored`, () => workspace.save());
  writeFileSync(join(workspace.root, 'built'), crypto.getRandomValues(Buffer.alloc(65_536)));
  for (let written = 0; written < BUILT_MB * 16; written += 1) {
    appendFileSync(join(workspace.root, 'built'), crypto.getRandomValues(Buffer.alloc(65_536)));
  }
  await measure(`a built file of ${BUILT_MB} MB stored`, () => workspace.save());
  await measure('made again from the database', open);
} finally {
  await database.end();
  await postgres.remove();
  rmSync(place, { recursive: true });
}

function nameOf(root, file) {
  return join(root, `folder-${Math.floor(file / PER_FOLDER)}`, `file-${file}.txt`);
}

function makeRepository() {
  const repository = join(place, 'repository');
  for (let file = 0; file < FILES; file += 1) {
    if (file % PER_FOLDER === 0) mkdirSync(join(nameOf(repository, file), '..'), { recursive: true });
    writeFileSync(nameOf(repository, file), `file ${file}\n`.repeat(100));
  }
  const git = (...args) =>
    execFileSync('git', ['-C', repository, '-c', 'user.name=a', '-c', 'user.email=a@localhost', ...args]);
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message=first');
  return repository;
}

async function measure(what, work) {
  const started = performance.now();
  const result = await work();
  console.log(`| ${what} | ${Math.round(performance.now() - started)} |`);
  return result;
}
