// The settings of the sandbox.
import * as z from 'zod';
import { sandboxModes } from '../contract/permission.js';
import type { Setting } from './setting.js';
import { always, isFalse, isTrue } from './setting-sources.js';
import { domain, path, text, truth } from './setting-values.js';

export const sandboxSettings = {
  'sandbox.enabled': {
    about: 'Whether commands run in a sandbox.',
    shape: 'one',
    schema: truth,
    loosens: isFalse,
    broken: { as: true },
  },
  'sandbox.failIfUnavailable': {
    about: 'Commands are refused if no sandbox works on this machine.',
    shape: 'one',
    schema: truth,
    loosens: isFalse,
    broken: { as: true },
    strictest: true,
  },
  'sandbox.mode': {
    about:
      '`workspace`: commands may write the project. `effects`: if everything that a command writes is known, it may write only that, and has no network.',
    shape: 'one',
    schema: z.enum(sandboxModes, `must be one of ${sandboxModes.join(', ')}`),
    loosens: (value) => value !== 'effects',
    broken: { as: 'effects' },
  },
  'sandbox.autoAllowBashIfSandboxed': {
    about:
      'Commands that run in the sandbox need no approval, unless a rule, a hook or a protected path asks or denies.',
    shape: 'one',
    schema: truth,
    loosens: isTrue,
    broken: { as: false },
  },
  'sandbox.allowUnsandboxedCommands': {
    about: "`false`: the model can't request to run a command outside the sandbox.",
    shape: 'one',
    schema: truth,
    loosens: isTrue,
    broken: { as: false },
    strictest: false,
  },
  'sandbox.excludedCommands': {
    about: 'Commands that run outside the sandbox, by their first words. The usual permission rules apply to them.',
    shape: 'list',
    schema: text,
    loosens: always,
  },
  'sandbox.network.allowedDomains': {
    about: 'Hosts that commands in the sandbox may reach; default none.',
    shape: 'list',
    schema: domain,
    loosens: always,
  },
  'sandbox.network.deniedDomains': {
    about: 'Hosts that commands in the sandbox may not reach, whatever else is allowed.',
    shape: 'list',
    schema: domain,
    broken: 'refuse',
  },
  'sandbox.filesystem.allowWrite': {
    about: 'Paths that commands in the sandbox may write in addition to the project.',
    shape: 'list',
    schema: path,
    loosens: always,
  },
  'sandbox.filesystem.denyWrite': {
    about: 'Paths that commands in the sandbox may not write.',
    shape: 'list',
    schema: path,
    broken: 'refuse',
  },
  'sandbox.filesystem.denyRead': {
    about: 'Paths that commands in the sandbox may not read.',
    shape: 'list',
    schema: path,
    broken: 'refuse',
  },
  'sandbox.filesystem.allowRead': {
    about:
      'Paths that they may still read, although `denyRead` lists them or they are hidden as keys. Rules that deny reading win.',
    shape: 'list',
    schema: path,
    loosens: always,
  },
} as const satisfies Readonly<Record<string, Setting>>;
