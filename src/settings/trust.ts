// Nothing from an untrusted folder runs, is fetched or relaxes a rule. Trust is bound to the folder's
// real path and to the content of what it covers: each hook, server, variable and rule that a person has seen. A
// changed or new item applies only after it was seen as well; items seen before still apply.
import { join, resolve } from 'node:path';
import { sha256 } from '../platform/crypto.js';
import { isInside, realPathSync, resolveIn } from '../platform/files/paths.js';
import { readPrivateFile, withLock, writePrivateFile } from '../platform/files/private-file.js';
import { isObject } from '../platform/is-object.js';
import { type CoveredItem, labelOf } from './covered-item.js';

export interface TrustReport {
  /** `changed`: a person has trusted the folder, and an item was added or changed since. */
  state: 'trusted' | 'changed' | 'untrusted';
  /** The real path. */
  folder: string;
  /** For the whole run, by a list in the user's own settings, or by approved items. */
  by?: 'flag' | 'settings' | 'approval';
  /** A person follows the folder's instruction files. Trust in the folder includes it, also while items are pending. */
  followsInstructions?: boolean;
  /** The folder's items that need trust. */
  covered: readonly CoveredItem[];
  /** Items that were not approved, so they do not apply. */
  pending: ReadonlyArray<CoveredItem & { change: 'new' | 'changed' }>;
}

export interface TrustOptions {
  /** Helve's own folder, where trust is kept. */
  dataFolder: string;
  /** `--trust`: everything in the folder applies for this run. */
  trust?: boolean | undefined;
  /** Folders that are trusted with everything below them. */
  trustedFolders?: readonly string[] | undefined;
  home?: string | undefined;
}

/** Whether the folder is trusted with its items. An unreliable record is ignored: see `problem`. */
export function trustState(
  folder: string,
  covered: readonly CoveredItem[],
  options: TrustOptions,
): TrustReport & { problem?: string } {
  const real = realFolder(folder);
  const whole = wholeTrust(real, options);
  if (whole) return { state: 'trusted', folder: real, by: whole, followsInstructions: true, covered, pending: [] };
  let record: FolderRecord | undefined;
  try {
    record = readRecords(options.dataFolder)[real];
  } catch (error) {
    return { state: 'untrusted', folder: real, covered, pending: asNew(covered), problem: unusable(options, error) };
  }
  const items = record?.items ?? {};
  const missing = covered.filter((item) => !Object.hasOwn(items, hashOf(item)));
  const current = new Set(covered.map(hashOf));
  const gone = Object.keys(items).filter((hash) => !current.has(hash));
  const lost = new Set(gone.map((hash) => items[hash]));
  const pending = missing.map((item) => ({
    ...item,
    change: lost.has(labelOf(item)) ? ('changed' as const) : ('new' as const),
  }));
  const followsInstructions = record?.trusted === true || record?.instructions === true;
  const report = { folder: real, followsInstructions, covered, pending };
  if (!record?.trusted) return { state: 'untrusted', ...report };
  return { state: missing.length > 0 ? 'changed' : 'trusted', by: 'approval', ...report };
}

const asNew = (covered: readonly CoveredItem[]) => covered.map((item) => ({ ...item, change: 'new' as const }));

function wholeTrust(real: string, { trust, trustedFolders = [], home }: TrustOptions): 'flag' | 'settings' | undefined {
  if (trust) return 'flag';
  const isListed = trustedFolders
    .map((listed) => resolveIn('', listed, () => home))
    .some((listed) => isInside(realFolder(listed), real));
  return isListed ? 'settings' : undefined;
}

/** Records that a person trusts the folder with these items. Items approved before stay approved. */
export async function trustFolder(
  folder: string,
  covered: readonly CoveredItem[],
  { dataFolder }: Pick<TrustOptions, 'dataFolder'>,
): Promise<void> {
  await updateRecord(folder, dataFolder, () => ({
    trusted: true,
    at: new Date().toISOString(),
    items: Object.fromEntries(covered.map((item) => [hashOf(item), labelOf(item)])),
  }));
}

/**
 * Records that a person follows the folder's instruction files, without trusting anything else in it. The files may
 * change: they are text, and people edit them daily.
 */
export async function followInstructions(
  folder: string,
  { dataFolder }: Pick<TrustOptions, 'dataFolder'>,
): Promise<void> {
  await updateRecord(folder, dataFolder, (before) => ({
    trusted: false,
    at: new Date().toISOString(),
    items: {},
    ...before,
    instructions: true,
  }));
}

/** Records that a person has approved this one item, without trusting the folder. */
export async function approveItem(
  folder: string,
  item: CoveredItem,
  { dataFolder }: Pick<TrustOptions, 'dataFolder'>,
): Promise<void> {
  await updateRecord(folder, dataFolder, (before) => ({
    trusted: false,
    at: new Date().toISOString(),
    ...before,
    items: { ...before?.items, [hashOf(item)]: labelOf(item) },
  }));
}

/** Revokes all trust in the folder. Returns whether there was any. */
export async function forgetTrust(folder: string, { dataFolder }: Pick<TrustOptions, 'dataFolder'>): Promise<boolean> {
  let found = false;
  await updateRecord(folder, dataFolder, (before) => {
    found = before !== undefined;
    return undefined;
  });
  return found;
}

/** Names an item by its content. */
export function hashOf({ key, name, value }: CoveredItem): string {
  return sha256()
    .update(JSON.stringify([key, name ?? null, sorted(value)]))
    .digest('hex');
}

/** Independent of the order of names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return {
    names: entries.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, inner]) => [name, sorted(inner)]),
  };
}

interface FolderRecord {
  /** A person trusts the folder. Without it, only the items are approved, one by one. */
  trusted: boolean;
  /** A person follows the instruction files of the folder. */
  instructions?: boolean;
  at: string;
  /** The name of each item, by hash. */
  items: Readonly<Record<string, string>>;
}

type Records = Readonly<Record<string, FolderRecord>>;

export const trustPath = (dataFolder: string): string => join(dataFolder, 'trust.json');

function readRecords(dataFolder: string): Records {
  const text = readPrivateFile(trustPath(dataFolder));
  if (text === undefined) return {};
  const { folders }: { folders?: unknown } = JSON.parse(text);
  if (!isObject(folders)) throw new Error('it has no list of folders');
  return Object.fromEntries(
    Object.entries(folders).flatMap(([path, record]) => (isRecord(record) ? [[path, record]] : [])),
  );
}

const isRecord = (value: unknown): value is FolderRecord =>
  isObject(value) &&
  typeof value['trusted'] === 'boolean' &&
  typeof value['at'] === 'string' &&
  isObject(value['items']) &&
  Object.values(value['items']).every((label) => typeof label === 'string');

function unusable({ dataFolder }: TrustOptions, error: unknown): string {
  const why = error instanceof SyntaxError ? 'it is not valid JSON' : error instanceof Error ? error.message : error;
  return `${trustPath(dataFolder)} can't be relied on (${why}), so no folder counts as trusted. Correct or delete it.`;
}

async function updateRecord(
  folder: string,
  dataFolder: string,
  change: (before: FolderRecord | undefined) => FolderRecord | undefined,
): Promise<void> {
  const path = trustPath(dataFolder);
  const real = realFolder(folder);
  await withLock(`${path}.lock`, async () => {
    let records: Records;
    try {
      records = readRecords(dataFolder);
    } catch (error) {
      throw new Error(unusable({ dataFolder }, error), { cause: error });
    }
    const { [real]: before, ...others } = records;
    const after = change(before);
    const folders = after ? { ...others, [real]: after } : others;
    await writePrivateFile(path, `${JSON.stringify({ version: 1, folders }, null, 2)}\n`);
  });
}

function realFolder(folder: string): string {
  try {
    return realPathSync(resolve(folder));
  } catch {
    return resolve(folder); // not ours to look at: only its written name can have been trusted
  }
}
