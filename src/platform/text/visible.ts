/**
 * The text with characters that could move the cursor, recolour the screen or turn the reading direction shown as what
 * they are, so that what a person sees is what is there. Line breaks and tabs stay.
 */
export function visible(text: string): string {
  let clean = '';
  let from = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (!isInvisibleControl(code)) continue;
    clean += `${text.slice(from, index)}\\u${code.toString(16).padStart(4, '0')}`;
    from = index + 1;
  }
  return from === 0 ? text : clean + text.slice(from);
}

function isInvisibleControl(code: number): boolean {
  if (code < 0x20) return code !== 0x0a && code !== 0x09;
  if (code >= 0x7f && code <= 0x9f) return true;
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}
