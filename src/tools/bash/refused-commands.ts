import type { SandboxConfig, ToolContext } from '../../contract/tool-context.js';

const REFUSED =
  /Read-only file system|Permission denied|Operation not permitted|Network is unreachable|Address family not supported|[Cc]ould not resolve (host|proxy)|unable to resolve host|Name or service not known|Temporary failure in name resolution|ENOTFOUND|EROFS|EACCES|EPERM|ENETUNREACH|EAFNOSUPPORT|EAI_AGAIN/;

/** Commands that failed because they were confined. They are not confined again. */
export interface RefusedCommands {
  add(command: string, why: string): void;
  /** How it was confined when it failed, as a clause that begins with "it"; undefined for other commands. */
  whyRefused(command: string): string | undefined;
}

export function refusedCommands(): RefusedCommands {
  const refused = new Map<string, string>();
  return {
    add: (command, why) => void refused.set(command, why),
    whyRefused: (command) => refused.get(command),
  };
}

/** The note for the model about a confined command that failed; undefined if confinement was not the cause. */
export function refusalNote(
  command: string,
  output: string,
  { session, confinement }: ToolContext,
): string | undefined {
  if (!REFUSED.test(output)) return undefined;
  const refused = session.own(refusedCommands);
  const next = session.sandbox?.autoAllow ? 'send it again' : 'send it again: the user will be asked';
  if (confinement === 'reads' || confinement === 'edits') {
    refused.add(command, 'it failed before, when it ran read-only and without network');
    return `It ran read-only and without network, because it was allowed as harmless. If it is meant to write or to reach the network, ${next}.`;
  }
  refused.add(command, 'it failed before, when it could write only the files that it names');
  return `It could write only the files that it names and had no network, because the setting "sandbox.mode" is "effects". If it needs more, ${next}.`;
}

/** The note for the model about a command that failed in the configured sandbox; undefined for other failures. */
export function sandboxNote(output: string, { network, allowUnsandboxed = true }: SandboxConfig): string | undefined {
  if (!REFUSED.test(output)) return undefined;
  const reach = { off: 'without network', on: 'with network', hosts: 'with network only to allowed hosts' };
  const own =
    'to open what it needs in the settings ("sandbox.network.allowedDomains", "sandbox.filesystem.allowWrite")';
  const next = allowUnsandboxed
    ? `send it again with dangerouslyDisableSandbox: true, which the user is asked about, or ask the user ${own}`
    : `ask the user to run it, or ${own}`;
  return `It ran in the sandbox that the settings turn on: ${reach[typeof network === 'object' ? 'hosts' : network]}, and it could write only in the project and its temp folder. If that is why it failed, ${next}.`;
}
