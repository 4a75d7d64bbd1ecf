/** Whether a value is a schema of zod, of any version. */
export const isZodSchema = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'safeParse' in value && typeof value.safeParse === 'function';

/** Whether a value is a shape such as `{ a: z.string() }`: the argument of `z.object`, which other SDKs accept as a schema. */
export function isZodShape(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isZodSchema(value)) return false;
  const entries = Object.values(value);
  return entries.length > 0 && entries.every(isZodSchema);
}
