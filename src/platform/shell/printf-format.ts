// `printf` of bash stores how many characters it has printed in the variable that %n names, and with that can set any.

/** Whether a format may set a variable; one that is not known may. */
export function storesCount(format: string | undefined): boolean {
  if (format === undefined) return true;
  const directives = format.replaceAll('%%', '');
  return /%[^%A-Za-z(]*[hjlLqtzI]*n/.test(directives);
}
