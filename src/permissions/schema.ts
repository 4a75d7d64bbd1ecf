// The part of a settings file that is about permissions. Rules are checked one by one by parseRule: one bad rule must
// not take the others with it.
import * as z from 'zod';
import { permissionModes } from '../contract/permission.js';

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
