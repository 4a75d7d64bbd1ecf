/** The positions of lone surrogates in a request: they are not valid UTF-8, and servers refuse them. */
export function malformedTexts(value: unknown, place = 'body'): string[] {
  if (typeof value === 'string') return value.isWellFormed() ? [] : [`${place}: holds half of a surrogate pair`];
  if (Array.isArray(value)) return value.flatMap((item, at) => malformedTexts(item, `${place}.${at}`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => [
    ...malformedTexts(name, `a name in ${place}`),
    ...malformedTexts(field, `${place}.${name.toWellFormed()}`),
  ]);
}
