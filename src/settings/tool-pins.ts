// Records the definitions of MCP servers' tools, one file for each server. The files are private to the user.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { PinnedServer, PinnedTool, ToolChange, ToolPins, ToolReview } from '../mcp/client/pins.js';
import { codeOf } from '../platform/error-code.js';
import { isObject } from '../platform/is-object.js';
import { errorClause } from '../platform/text/clause.js';

const MAX_SERVERS = 500; // the one that changed longest ago goes first: a server that old counts as a new one
const MAX_TOOLS = 20_000; // of one server in all its lists; more than that is no honest server
const MAX_TEXT_CHARS = 4_000_000; // of one server; beyond that a change is noticed, but can't be shown

/** The changes of a server that wait for approval. */
export interface WaitingChanges {
  server: PinnedServer;
  changes: readonly ToolChange[];
}

export interface StoredToolPins extends ToolPins {
  /** The changes that were noticed and not approved yet, of all servers or of those with a name. */
  waiting(name?: string): Promise<WaitingChanges[]>;
  /** The names of all servers with a record, also of those that a flag named for one run. */
  names(): Promise<string[]>;
}

interface ServerRecord {
  server: PinnedServer;
  tools: ReadonlyMap<string, PinnedTool>;
  /** Definitions that differ from the pins, as last seen. */
  changed: ReadonlyMap<string, PinnedTool>;
  /** The server's first list was pinned; earlier versions pinned only tools that ran. */
  isComplete: boolean;
}

export function toolPins(dataFolder: string): StoredToolPins {
  const folder = join(dataFolder, 'mcp-tools');
  const pathOf = ({ key }: PinnedServer): string => join(folder, fileName(key));
  const unsavedRecords = new Map<string, ServerRecord>();

  const load = async (server: PinnedServer): Promise<ServerRecord> => {
    const text = await readOrFail(pathOf(server), (found) => found && parsed(found, server));
    if (text) return text;
    const legacyPath = join(dataFolder, 'mcp-tools.json');
    const tools = await readOrFail(legacyPath, (found) => legacyTools(found, server.legacyKey ?? server.key));
    return { server, tools, changed: new Map(), isComplete: false };
  };

  const save = async (record: ServerRecord): Promise<void> => {
    const { writePrivateFile } = await files();
    const path = pathOf(record.server);
    await writePrivateFile(path, `${JSON.stringify(serialized(record))}\n`);
    if (!record.isComplete) removeOldest(folder);
  };

  /** Changes a record under its lock. A record that can't be saved applies in this process. */
  const update = async <Result>(
    server: PinnedServer,
    change: (record: ServerRecord) => { record: ServerRecord; isDirty: boolean; result: Result },
  ): Promise<{ result: Result; unsaved?: string }> => {
    const unsaved = unsavedRecords.get(server.key);
    const first = change(unsaved ?? (await load(server)));
    if (!first.isDirty && !unsaved) return { result: first.result };
    try {
      const { withLock } = await files();
      const result = await withLock(`${pathOf(server)}.lock`, async () => {
        const fresh = change(merged(await load(server), unsaved));
        if (fresh.isDirty || unsaved) await save(fresh.record);
        return fresh.result;
      });
      unsavedRecords.delete(server.key);
      return { result };
    } catch (error) {
      if (error instanceof UnreadableRecord) throw error;
      unsavedRecords.set(server.key, { ...first.record, isComplete: true });
      return { result: first.result, unsaved: errorClause(error) };
    }
  };

  const all = async (): Promise<ServerRecord[]> => {
    const records: ServerRecord[] = [];
    for (const file of recordsIn(folder)) {
      const record = await readOrFail(join(folder, file), (text) => text && parsed(text));
      if (record) records.push(record);
    }
    return records;
  };

  return {
    async review(server, tools, { acceptsChanges }) {
      const { result, unsaved } = await update(server, (record) => compared(record, tools, acceptsChanges));
      return { ...result, ...(unsaved !== undefined && { unsaved }) };
    },

    async approve(server, changes) {
      const { unsaved } = await update(server, (record) => approved(record, changes));
      if (unsaved !== undefined) throw new Error(`The approval could not be saved: ${unsaved}.`);
    },

    async waiting(name) {
      const found = await all();
      return found
        .filter((record) => record.changed.size > 0 && (name === undefined || record.server.name === name))
        .map((record) => ({ server: record.server, changes: changesOf(record) }));
    },

    names: async () => [...new Set((await all()).map(({ server }) => server.name))],
  };
}

/** A record exists and can't be used, so it is unknown what has changed. */
class UnreadableRecord extends Error {}

async function readOrFail<Value>(path: string, read: (text: string | undefined) => Value): Promise<Value> {
  try {
    return read((await files()).readPrivateFile(path));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is not valid JSON' : errorClause(error);
    throw new UnreadableRecord(`${path} can't be relied on: ${why}. Correct or delete it`, { cause: error });
  }
}

/** Loaded with the first list of a server's tools: most sessions have no server. */
const files = async () => await import('../platform/files/private-file.js');

function compared(record: ServerRecord, sent: ReadonlyMap<string, PinnedTool>, acceptsChanges: boolean) {
  const tools = new Map(record.tools);
  const changed: ToolChange[] = [];
  const added: string[] = [];
  let isDirty = !record.isComplete;
  for (const [tool, after] of sent) {
    const before = tools.get(tool);
    if (before?.hash === after.hash) continue;
    if (before !== undefined && !acceptsChanges) {
      changed.push({ tool, before, after });
      continue;
    }
    if (before === undefined && record.isComplete) added.push(tool);
    tools.set(tool, after);
    isDirty = true;
  }
  if (tools.size > MAX_TOOLS) {
    throw new UnreadableRecord(`it has offered more than ${MAX_TOOLS.toLocaleString('en')} different tools`);
  }
  const waiting = new Map(changed.map(({ tool, after }) => [tool, after]));
  isDirty ||= waiting.size !== record.changed.size;
  for (const [tool, { hash }] of waiting) isDirty ||= record.changed.get(tool)?.hash !== hash;
  const result: ToolReview = { changed, added };
  return { record: { ...record, tools, changed: waiting }, isDirty, result };
}

/** What another process has saved meanwhile comes first. */
const merged = (saved: ServerRecord, unsaved: ServerRecord | undefined): ServerRecord =>
  unsaved ? { ...unsaved, changed: saved.changed, tools: new Map([...unsaved.tools, ...saved.tools]) } : saved;

function approved(record: ServerRecord, changes: readonly ToolChange[]) {
  const [tools, changed] = [new Map(record.tools), new Map(record.changed)];
  for (const { tool, after } of changes) {
    tools.set(tool, after);
    if (changed.get(tool)?.hash === after.hash) changed.delete(tool);
  }
  return { record: { ...record, tools, changed }, isDirty: changes.length > 0, result: undefined };
}

const changesOf = ({ tools, changed }: ServerRecord): ToolChange[] =>
  [...changed].flatMap(([tool, after]) => {
    const before = tools.get(tool);
    return before ? [{ tool, before, after }] : [];
  });

function serialized({ server, tools, changed }: ServerRecord): Record<string, unknown> {
  let room = MAX_TEXT_CHARS;
  const kept = (pins: ReadonlyMap<string, PinnedTool>): Record<string, PinnedTool> =>
    Object.fromEntries(
      [...pins].map(([tool, { hash, text }]) => {
        room -= text?.length ?? 0;
        return [tool, text === undefined || room < 0 ? { hash } : { hash, text }];
      }),
    );
  const { key, name, source, folder } = server;
  return { version: 2, server: { key, name, source, folder }, changed: kept(changed), tools: kept(tools) };
}

/** Throws if anything in it is not as it was written: a pin that is left out would let a change through. */
function parsed(text: string, expected?: PinnedServer): ServerRecord {
  const { server, tools, changed }: Record<string, unknown> = JSON.parse(text);
  if (!isObject(server)) throw new Error('it names no server');
  const { key, name, source, folder } = server;
  if (typeof key !== 'string' || typeof name !== 'string' || typeof source !== 'string') {
    throw new Error('it names no server');
  }
  if (expected && expected.key !== key) throw new Error('it is the record of another server');
  const found = { key, name, source, ...(typeof folder === 'string' && { folder }) };
  return { server: expected ?? found, tools: pinsIn(tools), changed: pinsIn(changed), isComplete: true };
}

/** The pins of one server in the file that earlier versions wrote for all. */
function legacyTools(text: string | undefined, key: string): ReadonlyMap<string, PinnedTool> {
  if (text === undefined) return new Map();
  const { servers }: Record<string, unknown> = JSON.parse(text);
  if (!isObject(servers)) throw new Error('it has no list of servers');
  return Object.hasOwn(servers, key) ? pinsIn(servers[key]) : new Map();
}

function pinsIn(value: unknown): ReadonlyMap<string, PinnedTool> {
  if (!isObject(value)) throw new Error('it has no list of tools');
  return new Map(
    Object.entries(value).map(([tool, pin]) => {
      if (!isObject(pin) || typeof pin['hash'] !== 'string') throw new Error('one of its entries has no hash');
      const { hash, text } = pin;
      return [tool, typeof text === 'string' ? { hash, text } : { hash }];
    }),
  );
}

/** The key ends with a hash, so the readable part need not be unique. */
const fileName = (key: string): string => `${key.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.json`;

function recordsIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((file) => file.endsWith('.json'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []; // no server has connected yet
    throw error;
  }
}

function removeOldest(folder: string): void {
  const records = recordsIn(folder);
  if (records.length <= MAX_SERVERS) return;
  const aged = records.map((file) => ({ path: join(folder, file), at: modifiedAt(join(folder, file)) }));
  aged.sort((one, other) => one.at - other.at);
  for (const { path } of aged.slice(0, records.length - MAX_SERVERS)) rmSync(path, { force: true });
}

/** Another process may have removed the file. */
const modifiedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
