// The options of `helve --bg` that hold for its session, in a form that another process with another folder can read.
import { resolve } from 'node:path';
import { conversationFlags, worktreeFlags } from '../args.js';

/** Those of a new session. */
export const sessionFlags = { ...conversationFlags, ...worktreeFlags } as const;

const paths: ReadonlySet<string> = new Set(['add-dir', 'plugin-dir', 'settings', 'mcp-config']);

type Values = Readonly<Record<string, string | boolean | ReadonlyArray<string | boolean> | undefined>>;

/** The options as words of a command line, with paths that do not depend on the folder. */
export function sessionArgv(values: Values, folder = process.cwd()): string[] {
  return Object.keys(sessionFlags).flatMap((name) => {
    const value = values[name];
    const given = Array.isArray(value) ? value : [value];
    return given.flatMap((one: unknown) => {
      if (one === true) return [`--${name}`];
      return typeof one === 'string' ? [`--${name}=${absolute(name, one, folder)}`] : [];
    });
  });
}

function absolute(name: string, value: string, folder: string): string {
  const script = /^scripted\/(.+)$/s.exec(value)?.[1];
  if (name === 'model' && script !== undefined) return `scripted/${resolve(folder, script)}`;
  const isJson = /^\s*\{/.test(value);
  return paths.has(name) && !isJson ? resolve(folder, value) : value;
}
