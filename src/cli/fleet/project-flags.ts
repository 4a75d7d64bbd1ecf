/** What `helve fleet projects set` takes. */
export const projectFlags = {
  folder: { type: 'string', multiple: true },
  repository: { type: 'string', multiple: true },
  model: { type: 'string', multiple: true },
  deny: { type: 'string', multiple: true },
  ask: { type: 'string', multiple: true },
  running: { type: 'string' },
  'per-day': { type: 'string' },
} as const;
