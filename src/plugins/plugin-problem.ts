import { UserFacingError } from '../contract/user-facing-error.js';
import { shownLine } from '../platform/text/shown-line.js';

const MAX_MESSAGE_CHARS = 4_000;

/**
 * Why a plugin or a marketplace can't be used: a sentence for the person, with what to do next. It may quote names, paths
 * and addresses of the plugin, so it is made safe to print here, once for all surfaces.
 */
export class PluginProblem extends UserFacingError {
  override name = 'PluginProblem';

  constructor(message: string, options?: ErrorOptions) {
    super(shownLine(message, MAX_MESSAGE_CHARS), options);
  }
}

/** A part of a plugin that has no effect here, and why. */
export interface UnusedPart {
  /** As the person finds it in the plugin: `.lsp.json`, `hooks/hooks.json: FileChanged`. */
  part: string;
  /** A clause without a full stop. */
  reason: string;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const reserved: ReadonlySet<string> = new Set(['helve', 'mcp', 'user', 'project', 'managed', 'builtin']);

/** Why a plugin, or a marketplace, can't have this name; undefined if it can. A clause. */
export function nameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string' || name === '') return 'it has no name';
  if (!NAME.test(name)) return 'its name must have 1 to 64 letters, digits, "-", "_" and ".", and begin with no sign';
  return reserved.has(name.toLowerCase()) ? `the name "${name}" is reserved for Helve` : undefined;
}

/** Names that differ only in case are one: some file systems, and people, can't tell them apart. */
export const isSameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
