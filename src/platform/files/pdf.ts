export const MAX_PDF_BYTES = 100_000_000; // the whole of it is held in memory, some of it unpacked

/** The file can't be read as a PDF. The message goes on after the file's name: "is …". */
export class UnreadablePdf extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnreadablePdf';
  }
}

export interface Pdf {
  pages: number;
  /** The text of a page, counted from 1, in the order of the file; empty where it has none, as a scan. */
  textOf(page: number): Promise<string>;
  close(): Promise<void>;
}

/** Opens a PDF from its bytes, which are used up by it. Throws `UnreadablePdf`. */
export async function openPdf(bytes: Uint8Array): Promise<Pdf> {
  const { getDocumentProxy } = await import('unpdf'); // megabytes of code, which few sessions need
  const document = await getDocumentProxy(bytes, {
    verbosity: 0,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
  }).catch((error: unknown) => {
    throw unreadable(error);
  });
  return {
    pages: document.numPages,
    async textOf(number) {
      try {
        const page = await document.getPage(number);
        const { items } = await page.getTextContent();
        page.cleanup();
        const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
        return text
          .split('\n')
          .map((line) => line.trimEnd())
          .join('\n')
          .trim();
      } catch (error) {
        throw unreadable(error, `page ${number}`);
      }
    },
    close: async () => await document.loadingTask.destroy(),
  };
}

function unreadable(error: unknown, where = 'it'): UnreadablePdf {
  const name = error instanceof Error ? error.name : '';
  if (name === 'PasswordException') {
    return new UnreadablePdf(
      "is encrypted and needs a password, so its text can't be read. Ask the user for a copy without one.",
      { cause: error },
    );
  }
  const why = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
  return new UnreadablePdf(
    `is damaged, or not a PDF behind its first bytes (${where} can't be read: ${why}). Get or make the file again, then read that.`,
    { cause: error },
  );
}
