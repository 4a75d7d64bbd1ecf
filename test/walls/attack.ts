// The corpus of attacks: commands that try to have an effect although they ran without a question.
import { readFileSync } from 'node:fs';
import * as z from 'zod';

const step = z.union([
  z.strictObject({ file: z.string(), content: z.string(), mode: z.string().optional() }),
  z.strictObject({ append: z.string(), content: z.string() }),
  z.strictObject({ folder: z.string() }),
  z.strictObject({ link: z.string(), to: z.string() }),
  z.strictObject({ fifo: z.string() }),
  z.strictObject({ run: z.string() }),
]);

/** What shows that the command had its effect. */
const marker = z.union([
  z.strictObject({ created: z.string() }),
  z.strictObject({ changed: z.string() }),
  z.strictObject({ output: z.string() }),
  z.strictObject({ connects: z.literal(true) }),
  z.strictObject({ hangs: z.literal(true) }),
]);

export const attackModes = ['default', 'plan', 'acceptEdits'] as const;

const attackSchema = z.strictObject({
  id: z.string(),
  class: z.string(),
  /** What the project holds beside the base files of every attempt. */
  setup: z.array(step).optional(),
  command: z.string(),
  modes: z.array(z.enum(attackModes)),
  deny: z.array(z.string()).optional(),
  allow: z.array(z.string()).optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
  /** What the user runs by hand afterwards, unconfined. */
  after: z.string().optional(),
  /** Programs without which it has no effect. */
  needs: z.array(z.string()).optional(),
  /** The limit as docs/sandbox.md states it, where it is known to pass. */
  documented: z.string().optional(),
  /** Why the effect is accepted on a machine that cannot confine commands. */
  unconfined: z.string().optional(),
  marker,
});

export type Attack = z.output<typeof attackSchema>;
export type AttackMode = (typeof attackModes)[number];
export type SetupStep = z.output<typeof step>;

export const readAttacks = (file: string): Attack[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => attackSchema.parse(JSON.parse(line)));
