// Forms in which a text and its quotation agree, although the quotation was written out with other characters.

/** Cyrillic, Greek and other letters in lower case, each before the Latin letter that it looks like. */
const LOOK_ALIKES = 'аaвbсcԁdеeһhнhіiјjкkӏlмmоoрpԛqгrѕsтtѵvԝwхxуyαaβbεeζzηhιiκkμmνvοoρpτtυuχxγyıiɑaɡgℓl';

const latinOf: ReadonlyMap<string, string> = new Map(
  [...LOOK_ALIKES.matchAll(/(.)(.)/gu)].map(([, letter = '', latin = '']) => [letter, latin]),
);

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** With the characters that escapes stand for, in small Latin letters of usual width, and nothing invisible. */
export function plainCharacters(text: string): string {
  return text
    .replaceAll(/&(?:amp;)+/gi, '&')
    .replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(lt|gt|quot|apos|nbsp));/gi, (_, decimal, hex, name) =>
      name === undefined
        ? character(Number.parseInt(decimal ?? hex, decimal === undefined ? 16 : 10))
        : (entities[String(name).toLowerCase()] ?? ''),
    )
    .replaceAll(/(?<=\\)(?:u\{?([\da-f]{4})\}?|x([\da-f]{2}))/gi, (_, four, two) =>
      character(Number.parseInt(four ?? two, 16)),
    )
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\p{Cf}\p{Mn}]+/gu, '')
    .replaceAll(/[\u0131-\u052f\u2113]/g, (letter) => latinOf.get(letter) ?? letter);
}

const character = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '');

/** Without space, quotes and backslashes, which a quotation often has otherwise. */
export const withoutQuotes = (text: string): string => text.replaceAll(/\\+[nrt]?|[\s"'`\p{Pi}\p{Pf}]+/gu, '');

/** Without anything but letters and digits: a quotation may leave out the signs of a comment or of a table. */
export const lettersAndDigits = (text: string): string => text.replaceAll(/(?<=\\)[nrt]|[^\p{L}\p{N}]/gu, '');

/** Without what tools write before each line: its number, the name of its file, the sign of a diff. */
export const withoutMargin = (text: string): string =>
  text.replaceAll(
    /^(?:[^\s:"'{}]{0,300}:|[^\s:"'{}]{1,300}-(?=\d{1,9}-))?[ \t]{0,20}\d{0,9}[ \t]{0,4}[:|→\t-]?[ \t]?[+>-]?/gm,
    '',
  );

/** Without the tags of HTML. */
export const withoutTags = (text: string): string => text.replaceAll(/<\/?[a-z][^<>]{0,300}>/gi, '');
