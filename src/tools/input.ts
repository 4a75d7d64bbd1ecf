import * as z from 'zod';

/**
 * Accepts other names for fields, as models that know other tools send them. The schema that models see has the real
 * names alone. A field that is given by both names is refused as unknown, since one of the two would be lost.
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

/** Text that is handed to the system, which ends it at a NUL. */
export const systemText = z.string().refine((text) => !text.includes('\0'), 'must not hold a NUL character');

export const pathText = systemText.refine((text) => text !== '', 'must not be empty');

/** What one replacement of text is given by, in Edit and MultiEdit alike. */
export const editFields = {
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z.boolean().optional().meta({ default: false }),
  expected_replacements: z.int().min(1).optional(),
};

/** The names that other agents have for the fields of an edit. */
export const editAliases = { path: 'file_path', old_str: 'old_string', new_str: 'new_string' } as const;
