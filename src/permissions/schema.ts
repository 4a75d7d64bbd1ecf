// The part of a settings file that is about permissions. Rules are checked one by one by parseRule: one bad rule must
// not take the others with it.
import * as z from 'zod';
import { permissionModes, sandboxModes } from '../contract/permission.js';

export const permissionsSchema = z.looseObject({
  allow: z.array(z.unknown()).optional().describe('Rules for calls that need no question'),
  ask: z.array(z.unknown()).optional().describe('Rules for calls that are always asked about'),
  deny: z.array(z.unknown()).optional().describe('Rules for calls that are refused'),
  additionalDirectories: z
    .array(z.string())
    .optional()
    .describe('Folders that count as part of the project; relative ones start at the project'),
  defaultMode: z.enum(permissionModes).optional().describe('The mode that a session starts in'),
});

export type PermissionSettings = z.output<typeof permissionsSchema>;

/** The part of the settings of the sandbox that decisions depend on. */
export const sandboxSchema = z.looseObject({
  enabled: z.boolean().optional(),
  failIfUnavailable: z.boolean().optional(),
  autoAllowBashIfSandboxed: z.boolean().optional(),
  mode: z.enum(sandboxModes).optional(),
  excludedCommands: z.array(z.string()).optional(),
  network: z.looseObject({ allowedDomains: z.array(z.string()).optional() }).optional(),
});

export type SandboxSettings = z.output<typeof sandboxSchema>;
