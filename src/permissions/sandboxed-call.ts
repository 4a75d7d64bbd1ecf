// How the configured sandbox applies to a call: whether it runs inside, and how to describe that to a person.
import type { Confinement, DecisionRequest, SandboxMode, Walls } from '../contract/permission.js';
import type { SandboxConfig } from '../contract/tool-context.js';
import type { ToolTable } from '../contract/tool-traits.js';
import { isInside } from '../platform/files/paths.js';
import { effectsAreComplete, runsOutside } from '../platform/sandbox/sandboxed-effects.js';
import { familyOf } from './tool-names.js';

/** The sandbox as configured in settings. */
export interface PolicySandbox {
  /** Whether it works on this machine. */
  works: boolean;
  /** Whether a command that runs inside needs no approval. */
  allows: boolean;
  /** Commands that run outside, by their first words. */
  excluded: readonly string[];
  network: 'off' | 'on' | 'hosts';
  mode: SandboxMode;
  /** If it does not work, no command runs. */
  required: boolean;
}

/** The part of a sandbox that decisions and questions depend on. */
export function policySandbox(wish: SandboxConfig, works: boolean): PolicySandbox {
  const { network, excluded = [], autoAllow = false, mode = 'workspace', failIfUnavailable } = wish;
  return {
    works,
    allows: autoAllow,
    excluded,
    network: typeof network === 'object' ? 'hosts' : network,
    mode,
    required: failIfUnavailable,
  };
}

/** Whether the call asks to run outside the sandbox. */
export const leavesSandbox = (input: unknown): boolean =>
  typeof input === 'object' &&
  input !== null &&
  'dangerouslyDisableSandbox' in input &&
  input.dangerouslyDisableSandbox === true;

/** Only the shell's commands are sandboxed, whatever effects another tool declares. */
const isCommandCall = ({ tool }: DecisionRequest, tools: ToolTable): boolean => familyOf(tools, tool) === 'command';

/** Whether the call needs no approval for what the sandbox holds. */
export const isHeldBySandbox = (
  request: DecisionRequest,
  { sandbox, tools }: Pick<Circumstances, 'sandbox' | 'tools'>,
): boolean => sandbox?.allows === true && isCommandCall(request, tools) && runsInside(request, sandbox);

const runsInside = ({ input, effects }: DecisionRequest, { works, excluded }: PolicySandbox): boolean =>
  works && !leavesSandbox(input) && !runsOutside(effects, excluded);

interface Circumstances {
  sandbox?: PolicySandbox | undefined;
  walls?: Walls | undefined;
  workspace: readonly string[];
  tools: ToolTable;
}

/** One short line for the person who is asked; undefined for a call that runs no command. */
export function describeConfinement(request: DecisionRequest, circumstances: Circumstances): string | undefined {
  const { sandbox, walls, workspace, tools } = circumstances;
  if (!isCommandCall(request, tools)) return undefined;
  const { effects, input } = request;
  if (!sandbox || leavesSandbox(input)) return 'Runs without a sandbox.';
  if (runsOutside(effects, sandbox.excluded)) return 'Runs without a sandbox: settings exclude this command from it.';
  if (!sandbox.works) {
    return sandbox.required
      ? 'Will not run: settings require a sandbox, and none works here.'
      : 'Runs without a sandbox: none works here.';
  }
  if (sandbox.mode === 'effects' && walls === 'full' && effectsAreComplete(effects)) {
    return 'Runs in the sandbox: no network, writes only the files named here.';
  }
  const writesOutside = effects.some(
    (effect) =>
      effect.kind === 'file' &&
      effect.access === 'write' &&
      !effect.real.startsWith('/dev/') &&
      !workspace.some((folder) => isInside(folder, effect.real)),
  );
  const where = writesOutside ? 'in the project and the files named here' : 'in the project';
  return `Runs in the sandbox: ${networkWords[sandbox.network]}, writes only ${where}.`;
}

const networkWords = { off: 'no network', hosts: 'network only to allowed hosts', on: 'with network' } as const;

/** How a command is confined, in words that follow "it runs". */
export const confinementWords: Readonly<Record<Confinement, string>> = {
  reads: 'read-only and without network',
  edits: 'without network and writes only what its effects name',
  sandbox: 'in the sandbox, and no path outside the project is opened for it',
  approved: 'as the sandbox settings say',
  none: 'unconfined',
};
