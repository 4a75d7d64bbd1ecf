/** Whether a value is a schema of zod, of any version. */
export const isZodSchema = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'safeParse' in value && typeof value.safeParse === 'function';

/** Whether a value is a shape, `{ a: z.string() }`: what other SDKs take, and what z.object makes a schema of. */
export function isZodShape(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isZodSchema(value)) return false;
  const entries = Object.values(value);
  return entries.length > 0 && entries.every(isZodSchema);
}
