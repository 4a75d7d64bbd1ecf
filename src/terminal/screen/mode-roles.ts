import type { PermissionMode } from '../../contract/permission.js';
import type { Role } from './theme.js';

/** How each permission mode is painted, wherever it is shown. */
export const modeRoles: Readonly<Record<PermissionMode, Role>> = {
  default: 'muted',
  acceptEdits: 'success',
  plan: 'plan',
  dontAsk: 'muted',
  bypassPermissions: 'failure',
};
