// Where a plugin or a marketplace comes from: a folder, or a git repository.
import { isObject } from '../platform/is-object.js';
import { shownLine } from '../platform/text/shown-line.js';

export type PluginSource =
  /** `path`: absolute, or within its marketplace if `within` is set. */
  | { source: 'path'; path: string; within?: boolean }
  | { source: 'git'; url: string; ref?: string; sha?: string; path?: string };

/** Why a source can't be used. */
export interface SourceProblem {
  problem: string;
}

/** A source in the format of marketplaces and settings: a relative path, or an object with the field `source`. */
export function readSource(value: unknown): PluginSource | SourceProblem {
  if (typeof value === 'string') return { source: 'path', path: value, within: true };
  if (!isObject(value)) return { problem: 'its source is neither a path nor an object' };
  const { source, url, repo, path, ref, sha } = value;
  switch (source) {
    case 'path':
      if (typeof path !== 'string') return { problem: 'its source has no "path"' };
      return { source, path, ...(value['within'] === true && { within: true }) };
    case 'local': // Codex
      if (typeof path !== 'string') return { problem: 'its source has no "path"' };
      return { source: 'path', path, within: true };
    case 'directory':
    case 'file':
      if (typeof path !== 'string') return { problem: 'its source has no "path"' };
      return { source: 'path', path };
    case 'github':
      if (typeof repo !== 'string' || !/^[\w.-]+\/[\w.-]+$/.test(repo)) {
        return { problem: 'its source "github" needs "repo": "OWNER/NAME"' };
      }
      return gitSource(`https://github.com/${repo}.git`, { ref, sha, path });
    case 'git':
    case 'git-subdir':
      return gitSource(url, { ref, sha, path });
    case 'url':
      // Marketplaces use it for repositories; an address of a single file would have to be downloaded.
      if (typeof url === 'string' && /\.json$/i.test(url)) {
        return { problem: 'it would be downloaded from an address; Helve takes folders and git repositories' };
      }
      return gitSource(url, { ref, sha, path });
    case 'npm':
      return {
        problem:
          'it would be installed by npm, which runs code of the package; Helve takes folders and git repositories',
      };
    case 'archive':
      return { problem: 'it would be downloaded as an archive; Helve takes folders and git repositories' };
    case 'command':
      return { problem: 'it would be fetched by a command of the marketplace, which Helve does not run' };
    default:
      return { problem: `its source has the type ${JSON.stringify(source)?.slice(0, 40)}, which Helve does not know` };
  }
}

interface GitDetails {
  ref: unknown;
  sha: unknown;
  path: unknown;
}

function gitSource(url: unknown, { ref, sha, path }: GitDetails): PluginSource | SourceProblem {
  if (typeof url !== 'string') return { problem: 'its source has no "url"' };
  const problem = gitProblem(url, ref, sha);
  if (problem !== undefined) return { problem };
  return {
    source: 'git',
    url,
    ...(typeof ref === 'string' && { ref }),
    ...(typeof sha === 'string' && { sha: sha.toLowerCase() }),
    ...(typeof path === 'string' && path !== '' && { path }),
  };
}

/** Only transports that run no program of the repository's choice: `ext::sh -c …` is an address for git. */
function gitProblem(url: string, ref: unknown, sha: unknown): string | undefined {
  if (/[\p{Cc}\s]/u.test(url)) return 'the address of its repository has blanks or control characters';
  const isKnown =
    /^(?:https|ssh|file):\/\/[^-]/i.test(url) || /^[\w.-]+@[\w.-]+:[^-:]/.test(url) || /^\/[^\0]*$/.test(url);
  if (!isKnown || url.includes('::')) {
    return `"${url.slice(0, 80)}" is no address that Helve gives to git: https://, ssh://, file://, user@host:path or a full path`;
  }
  if (/^https:\/\/[^/:]*:[^/]*@/i.test(url)) return 'the address of its repository contains a password';
  if (ref !== undefined && (typeof ref !== 'string' || !/^[\w][\w./@+-]{0,199}$/.test(ref) || ref.includes('..'))) {
    return 'the "ref" of its source is no name of a branch or tag';
  }
  if (sha !== undefined && (typeof sha !== 'string' || !/^[0-9a-f]{40}$/i.test(sha))) {
    return 'the "sha" of its source is no commit: it must have 40 hexadecimal digits';
  }
  return undefined;
}

/** Whether both are the same folder or repository, in any version of it. */
export function isSameSource(one: PluginSource, other: PluginSource): boolean {
  if (one.source === 'path' || other.source === 'path') return one.source === other.source && one.path === other.path;
  return one.url === other.url && one.path === other.path;
}

/** One line for people. */
export function describeSource(source: PluginSource): string {
  if (source.source === 'path') return shownLine(source.path);
  const { url, ref, sha, path } = source;
  const parts = [url, ref && `#${ref}`, sha && ` at ${sha.slice(0, 12)}`, path && `, folder ${path}`];
  return shownLine(parts.filter(Boolean).join(''));
}
