import { monotonicMs } from '../clock.js';
import { messageOf } from '../message-of.js';

export const MAX_PDF_BYTES = 100_000_000; // the whole file is held in memory, parts of it decompressed

export interface PdfLimits {
  /** For opening it, or for the text of one page. */
  stepMs: number;
  /** Memory growth meanwhile: a small file may decompress to any size. */
  memoryBytes: number;
  /** The total decompressed size of all its streams. */
  unpackedBytes: number;
}

// Far beyond the needs of any real page.
const pdfLimits: PdfLimits = { stepMs: 30_000, memoryBytes: 600_000_000, unpackedBytes: 600_000_000 };
const LOOK_EVERY_MS = 50;

/** The file can't be read as a PDF. The message continues after the file's name: "is …". */
export class UnreadablePdf extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnreadablePdf';
  }
}

export interface Pdf {
  pages: number;
  /** The text of a page, 1-based, in the order of the file; empty if it has none, such as a scan. */
  textOf(page: number): Promise<string>;
  close(): Promise<void>;
}

export interface OpenPdfOptions {
  /** Aborts all work on it, even in the middle of a page. */
  signal?: AbortSignal | undefined;
  limits?: Partial<PdfLimits> | undefined;
}

/** Opens a PDF from its bytes, which are transferred to it. Throws `UnreadablePdf`, or the reason of the signal. */
export async function openPdf(bytes: Uint8Array, { signal, limits }: OpenPdfOptions = {}): Promise<Pdf> {
  const most = { ...pdfLimits, ...limits };
  await refuseBomb(bytes, most, signal);
  const { getResolvedPDFJS } = await import('unpdf'); // megabytes of code, which few sessions need
  const { getDocument } = await getResolvedPDFJS();
  const task = getDocument({
    data: bytes,
    verbosity: 0,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
  });
  const close = async (): Promise<void> => await task.destroy();
  const within = <Result>(work: () => Promise<Result>, where?: string): Promise<Result> =>
    bounded(work, { limits: most, signal, close }).catch((error: unknown) => {
      throw error instanceof UnreadablePdf || signal?.aborted ? error : unreadable(error, where);
    });
  const document = await within(() => task.promise);
  return {
    pages: document.numPages,
    async textOf(number) {
      const read = async (): Promise<string> => {
        const page = await document.getPage(number);
        const { items } = await page.getTextContent();
        page.cleanup();
        return items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('');
      };
      const text = await within(read, `page ${number}`);
      return text
        .split('\n')
        .map((line) => line.trimEnd())
        .join('\n')
        .trim();
    },
    close,
  };
}

async function refuseBomb(bytes: Uint8Array, limits: PdfLimits, signal: AbortSignal | undefined): Promise<void> {
  const { unpackedSize } = await import('./unpacked-size.js');
  const began = monotonicMs();
  const size = await unpackedSize(
    bytes,
    limits.unpackedBytes,
    () => signal?.aborted === true || monotonicMs() - began > limits.stepMs,
  );
  signal?.throwIfAborted();
  const problem = whyTooMuch(monotonicMs() - began, size, { ...limits, memoryBytes: limits.unpackedBytes });
  if (problem) throw problem;
}

interface Bounds {
  limits: PdfLimits;
  signal: AbortSignal | undefined;
  close(): Promise<void>;
}

/**
 * The parser has no limits of its own, but yields to the event loop now and then: usually enough to watch its memory
 * use.
 */
async function bounded<Result>(work: () => Promise<Result>, { limits, signal, close }: Bounds): Promise<Result> {
  signal?.throwIfAborted();
  const stopped = Promise.withResolvers<never>();
  const began = monotonicMs();
  let least = memoryInUse(); // garbage of earlier work may be collected meanwhile
  const stop = (why: unknown): void => {
    stopped.reject(why);
    close().catch(() => {}); // it aborts its work; no more calls follow
  };
  const onAbort = (): void => stop(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = setInterval(() => {
    const now = memoryInUse();
    least = Math.min(least, now);
    const why = whyTooMuch(monotonicMs() - began, now - least, limits);
    if (why !== undefined) stop(why);
  }, LOOK_EVERY_MS);
  try {
    return await Promise.race([work(), stopped.promise]);
  } finally {
    clearInterval(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

function memoryInUse(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function whyTooMuch(ms: number, bytes: number, { stepMs, memoryBytes }: PdfLimits): UnreadablePdf | undefined {
  const next = 'It may be designed to exhaust memory. Go on without it.';
  if (bytes > memoryBytes) {
    return new UnreadablePdf(`needs more than ${Math.round(memoryBytes / 1_000_000)} MB of memory. ${next}`);
  }
  return ms > stepMs ? new UnreadablePdf(`takes more than ${stepMs / 1_000} s for one step. ${next}`) : undefined;
}

function unreadable(error: unknown, where = 'it'): UnreadablePdf {
  const name = error instanceof Error ? error.name : '';
  if (name === 'PasswordException') {
    return new UnreadablePdf(
      "is encrypted and needs a password, so its text can't be read. Ask the user for a copy without one.",
      { cause: error },
    );
  }
  const why = messageOf(error).slice(0, 200).replace(/\.$/, '');
  return new UnreadablePdf(
    `is damaged, or not a PDF behind its first bytes (${where} can't be read: ${why}). Get or make the file again, then read that.`,
    { cause: error },
  );
}
