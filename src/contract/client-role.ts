// What a client of the host may do. Each role may do what those before it may.

export const clientRoles = ['view', 'answer', 'run', 'admin'] as const;

/** `view`: reads. `answer`: answers questions. `run`: sends prompts and changes sessions. `admin`: ends the host, too. */
export type ClientRole = (typeof clientRoles)[number];

export const isClientRole = (word: unknown): word is ClientRole => clientRoles.some((role) => role === word);

export const mayAct = (role: ClientRole, needed: ClientRole): boolean =>
  clientRoles.indexOf(role) >= clientRoles.indexOf(needed);
