/** Whether the text is base64 of at least one byte, with its padding. */
export function isBase64(text: string): boolean {
  const end = text.indexOf('=');
  return (
    text !== '' && text.length % 4 === 0 && !/[^A-Za-z0-9+/=]/.test(text) && (end < 0 || /^==?$/.test(text.slice(end)))
  );
}
