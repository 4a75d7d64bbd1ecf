import * as z from 'zod';

/**
 * Accepts other names for fields, which models know from other tools. The schema that models see has only the real
 * names. A field given under both names is refused as unknown, since one of the two would be lost.
 */
export function withAliases<Schema extends z.ZodObject>(
  aliases: Readonly<Record<string, string>>,
  schema: Schema,
): z.ZodType<z.output<Schema>> {
  return z.preprocess((input) => {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
    const given: Record<string, unknown> = { ...input };
    for (const [alias, name] of Object.entries(aliases)) {
      if (!(alias in given) || name in given) continue;
      given[name] = given[alias];
      delete given[alias];
    }
    return given;
  }, schema);
}

/** A string for the system, which would truncate it at a NUL. */
export const systemText = z.string().refine((text) => !text.includes('\0'), 'must not hold a NUL character');

export const pathText = systemText.refine((text) => text !== '', 'must not be empty');

/** The fields of one text replacement, shared by Edit and MultiEdit. */
export const editFields = {
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean().optional().meta({ default: false }),
  expected_replacements: z.int().min(1).optional(),
};

/** Other agents' names for the fields of an edit. */
export const editAliases = { path: 'file_path', old_str: 'old_string', new_str: 'new_string' } as const;
