// Long options may be abbreviated to any unambiguous prefix. That depends on all options of a program, so it is
// resolved only in tables that list them all.
import type { OptionTable } from './options.js';
import { known, type ShellField } from './program.js';

/** The words with abbreviated options written out. Unknown and ambiguous ones are unchanged. */
export function withFullNames(
  args: readonly ShellField[],
  { named }: OptionTable,
  { negated = false }: { negated?: boolean } = {},
): ShellField[] {
  const end = args.findIndex(({ value }) => value === '--');
  return args.map((field, index) => {
    const { value } = field;
    if (value === undefined || !value.startsWith('--') || value === '--' || (end >= 0 && index > end)) return field;
    const [name = value] = value.split('=');
    const full =
      fullName(name, named) ??
      (negated && name.startsWith('--no-') ? fullName(`--${name.slice(5)}`, named) : undefined);
    return full === undefined || full === name
      ? field
      : { ...known(full + value.slice(name.length)), text: field.text };
  });
}

function fullName(name: string, named: OptionTable['named']): string | undefined {
  if (named.has(name)) return name;
  const candidates = [...named.keys()].filter((option) => option.startsWith(name));
  return candidates.length === 1 ? candidates[0] : undefined;
}
