// What bench/fleet.mjs measures.
export { LocalPostgres } from '../scripts/run-postgres.js';
export { createAgent } from '../src/compose/create-agent.js';
export { openDatabase } from '../src/fleet/postgres.js';
export { FleetPrompts } from '../src/fleet/prompts.js';
export { FileStore } from '../src/fleet/store/file-store.js';
export { PostgresStore } from '../src/fleet/store/postgres-store.js';
export { SessionCopy } from '../src/fleet/store/session-copy.js';
export { FleetWorkspaces } from '../src/fleet/workspace/fleet-workspaces.js';
export { scriptedModel } from '../src/models/scripted.js';
