import { efforts } from '../../contract/model.js';
import { permissionModes } from '../../contract/permission.js';
import { editableScopes } from '../mcp/edit-servers.js';
import { inputFormats, outputFormats } from '../run-flags.js';

/** A matching word and its description. */
export interface Candidate {
  word: string;
  about?: string;
}

export type Values = readonly Candidate[] | 'files' | 'folders';

export interface PlaceholderContext {
  command: string;
  /** The flag or action before the placeholder. */
  after: string;
}

/** The values for a placeholder. Nothing here starts a program or sends a request. */
export async function valuesOf(placeholder: string, { command, after }: PlaceholderContext): Promise<Values> {
  switch (placeholder) {
    case 'MODE':
      return words(permissionModes);
    case 'LEVEL':
      return words(efforts);
    case 'SCOPE':
      return words(editableScopes);
    case 'TYPE':
      return words(['stdio', 'http', 'sse']);
    case 'FORMAT':
      return words(after === '--input-format' ? inputFormats : outputFormats);
    case 'FILE':
    case 'F':
    case 'SCHEMA':
      return 'files';
    case 'DIR':
      return 'folders';
    case 'ID':
    case 'SESSION':
      return after === '--call' ? [] : await sessions();
    case 'WORKTREE':
      return await worktrees();
    case 'TOOL':
    case 'RULES':
      return await tools();
    case 'KEY':
      return command === 'config' ? await settings() : [];
    case 'NAME':
      if (/^(?:--worktree|-w)$/.test(after)) return await worktrees();
      if (command === 'mcp') return after.startsWith('add') ? [] : await servers();
      if (command === 'plugin') return await plugins();
      if (command === 'serve') return after === 'revoke' ? await serverTokens() : [];
      if (command === 'login' || command === 'logout') return await signIns();
      return await models();
    case 'A,B':
      return await models();
    default:
      return /^[a-z]+(?:\|[a-z]+)*$/.test(placeholder) ? words(placeholder.split('|')) : [];
  }
}

const words = (list: readonly string[]): Candidate[] => list.map((word) => ({ word }));

async function worktrees(): Promise<Candidate[]> {
  const { findRecords } = await import('../../platform/worktrees/worktree-record.js');
  const { dataFolderOf, realPathSync } = await import('../../platform/files/paths.js');
  return findRecords(realPathSync(dataFolderOf())).records.map(({ name, project }) => ({ word: name, about: project }));
}

async function sessions(): Promise<Candidate[]> {
  const { realpathSync } = await import('node:fs');
  const { listSessions } = await import('../../agent/store/list-sessions.js');
  const { dataFolderOf } = await import('../../platform/files/paths.js');
  const { cleanTitle } = await import('../sessions/session-table.js');
  const found = await listSessions(dataFolderOf(), { root: realpathSync(process.cwd()) });
  const last = { word: 'last', about: 'the last session of this folder' };
  return [
    ...(found.length > 0 ? [last] : []),
    ...found.map(({ id, title }) => ({ word: id, about: cleanTitle(title) })),
  ];
}

async function models(): Promise<Candidate[]> {
  const { loadCatalogue } = await import('../../models/catalogue/load-catalogue.js');
  const { providers, models: known, aliases } = await loadCatalogue(process.env);
  const short = [...providers.values()].flatMap(({ id, aliases: own = {} }) =>
    Object.entries(own).map(([word, name]) => ({ word, about: `${id}/${name}` })),
  );
  const named = [...aliases].map(([word, about]) => ({ word, about }));
  // The user's own names take precedence, then those of earlier providers.
  const unique = new Map([...named, ...short].toReversed().map((candidate) => [candidate.word, candidate]));
  return [...unique.values(), ...words([...known.keys()])];
}

async function tools(): Promise<Candidate[]> {
  const { builtInTools } = await import('../../tools/index.js');
  return words(builtInTools().map(({ name }) => name));
}

async function settings(): Promise<Candidate[]> {
  const { describeSettings } = await import('../../settings/describe.js');
  return describeSettings().map(({ key, about }) => ({ word: key, about }));
}

async function servers(): Promise<Candidate[]> {
  const { knownServers } = await import('../mcp/known-servers.js');
  const found = (await knownServers({})).servers;
  return found.map(({ name, scope }) => ({ word: name, about: scope }));
}

async function signIns(): Promise<Candidate[]> {
  const { loginProviders, loginTitles } = await import('../../models/sign-in/login-names.js');
  return loginProviders.map((word) => ({ word, about: loginTitles[word] }));
}

async function serverTokens(): Promise<Candidate[]> {
  const { AccessFile } = await import('../../serve/access-file.js');
  const { dataFolderOf } = await import('../../platform/files/paths.js');
  return new AccessFile(dataFolderOf()).list().map(({ name: word, role }) => ({ word, about: role }));
}

async function plugins(): Promise<Candidate[]> {
  const { idOf, readRegistry } = await import('../../plugins/registry.js');
  const { dataFolderOf } = await import('../../platform/files/paths.js');
  const { plugins: added, marketplaces, folders } = readRegistry(dataFolderOf());
  return [
    ...added.map((record) => ({ word: idOf(record), about: record.enabled ? 'enabled' : 'disabled' })),
    ...marketplaces.map(({ name }) => ({ word: name, about: 'marketplace' })),
    ...Object.keys(folders).map((word) => ({ word, about: 'approved folder' })),
  ];
}
