// Bash's `printf` stores the number of printed characters in the variable that %n names, so it can set any variable.

/** Whether a format may set a variable; an unknown one may. */
export function storesCount(format: string | undefined): boolean {
  if (format === undefined) return true;
  const directives = format.replaceAll('%%', '');
  return /%[^%A-Za-z(]*[hjlLqtzI]*n/.test(directives);
}
