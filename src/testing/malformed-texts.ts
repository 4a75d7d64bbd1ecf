/** Where a request holds half of a surrogate pair, which is no text in UTF-8 and which servers refuse. */
export function malformedTexts(value: unknown, place = 'body'): string[] {
  if (typeof value === 'string') return value.isWellFormed() ? [] : [`${place}: holds half of a surrogate pair`];
  if (Array.isArray(value)) return value.flatMap((item, at) => malformedTexts(item, `${place}.${at}`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => [
    ...malformedTexts(name, `a name in ${place}`),
    ...malformedTexts(field, `${place}.${name.toWellFormed()}`),
  ]);
}
