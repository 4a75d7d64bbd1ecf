import type { Confinement } from '../contract/permission.js';

/** How a command is confined, in words that follow "it runs". */
export const confinementWords: Readonly<Record<Confinement, string>> = {
  reads: 'read-only and without network',
  edits: 'without network and writes only what its effects name',
  sandbox: 'in the sandbox, and no path outside the project is opened for it',
  approved: 'as the sandbox settings say',
  none: 'unconfined',
};
