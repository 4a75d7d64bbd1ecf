const MAX_META_BYTES = 4_096; // a page must declare its encoding within these

export interface DecodedPage {
  text: string;
  /** By its usual name: `utf-8`, `shift_jis`. */
  charset: string;
}

/**
 * Decodes a page by its byte order mark, the header, or the declaration in the HTML, in this order, else as UTF-8.
 * Invalid bytes become U+FFFD: a page is only read, so a partial text is better than none.
 */
export function decodePage(bytes: Uint8Array, contentType: string): DecodedPage {
  const isHtml = /html|xml/i.test(contentType);
  const named = [byMark(bytes), byHeader(contentType), isHtml ? byMeta(bytes) : undefined, 'utf-8'];
  for (const charset of named) {
    if (charset === undefined) continue;
    const decoder = decoderOf(charset);
    if (decoder) return { text: decoder.decode(bytes), charset: decoder.encoding };
  }
  return { text: '', charset: 'utf-8' };
}

function byMark(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

const byHeader = (contentType: string): string | undefined => /charset\s*=\s*["']?([^\s"';,]+)/i.exec(contentType)?.[1];

function byMeta(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, MAX_META_BYTES)).toString('latin1');
  const said =
    /<meta[^>]{0,500}?charset\s*=\s*["']?([^\s"'/>;]+)/i.exec(head)?.[1] ??
    /^\s*<\?xml[^>]{0,200}encoding\s*=\s*["']([^"']+)/i.exec(head)?.[1];
  // A page that could be read up to here can't be UTF-16, even if it declares that.
  return said !== undefined && /^utf-?16/i.test(said) ? 'utf-8' : said;
}

/** Undefined for an unknown encoding. */
function decoderOf(charset: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined;
  }
}
