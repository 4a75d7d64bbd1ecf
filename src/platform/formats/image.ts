import type { ImageType } from '../files/file-kind.js';
import { messageOf } from '../message-of.js';
import { hasImageEnd, type ImageSize, measureImage } from './image-size.js';

export const MAX_FILE_BYTES = 100_000_000; // the whole file is held in memory
const MAX_SENT_BYTES = 3_932_160; // 3.75 MB are 5 MB in base64, the providers' limit
const SMALL_BYTES = 500_000; // above this, re-encoding it smaller is worth the loss
const SHOWN_SIDE = 1_568; // models scale larger ones down themselves
const MAX_SIDE = 8_000; // providers reject more, and with it the whole conversation
const MAX_PIXELS = 150_000_000; // 600 MB once decoded; a file of a few kilobytes can claim any number
const QUALITIES = [80, 60, 40, 20];
const MAX_SECONDS = 30;

/** An image that may enter a conversation. */
export interface PreparedImage {
  mediaType: ImageType;
  bytes: Buffer;
  original: ImageSize;
  shown: ImageSize;
}

/** The image can't be shown. The message continues after the file's name: "is …, so …. Do …". */
export class UnusableImage extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnusableImage';
  }
}

type Sharp = typeof import('sharp').default;

/**
 * Measures an image and makes it small enough for any provider: a large one in a conversation makes every later
 * request fail. Throws `UnusableImage`. `load` returns the scaling library; if that is not installed, images within
 * the limits are used unchanged.
 */
export async function prepareImage(
  bytes: Buffer,
  mediaType: ImageType,
  load: () => Promise<Sharp | undefined> = loadSharp,
): Promise<PreparedImage> {
  const original = measureImage(bytes, mediaType);
  if (!original) throw broken(mediaType, 'its header is damaged or cut off');
  const { width, height } = original;
  if (width === 0 || height === 0) throw broken(mediaType, `its header says ${width}×${height} pixels`);
  if (width * height > MAX_PIXELS) {
    throw new UnusableImage(
      `is an image of ${width}×${height} pixels in ${bytes.length} bytes, more than the ${MAX_PIXELS} pixels that are unpacked, so it was left alone. Make a smaller copy, then read that.`,
    );
  }
  if (!hasImageEnd(bytes, mediaType))
    throw broken(mediaType, `it ends before its picture does, after ${bytes.length} bytes`);

  const sharp = await load();
  const unchanged: PreparedImage = { mediaType, bytes, original, shown: original };
  if (sharp) return await scale(sharp, unchanged);
  if (bytes.length <= MAX_SENT_BYTES && Math.max(width, height) <= MAX_SIDE) return unchanged;
  throw new UnusableImage(
    `is an image of ${width}×${height} pixels and ${bytes.length} bytes, and at most ${MAX_SIDE} pixels a side and ${MAX_SENT_BYTES} bytes can be shown as they are. It can't be scaled down because the package "sharp" is not installed: ask the user to install it (npm install sharp), or make a smaller copy and read that.`,
  );
}

async function scale(sharp: Sharp, image: PreparedImage): Promise<PreparedImage> {
  const { bytes, mediaType } = image;
  const open = () => sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' }).timeout({ seconds: MAX_SECONDS });
  try {
    const { autoOrient: upright, orientation = 1, space } = await open().metadata();
    const original = { width: upright.width, height: upright.height };
    const fits = Math.max(original.width, original.height) <= SHOWN_SIDE;
    const isPlain = orientation === 1 && space !== 'cmyk'; // otherwise the provider's rendering can't be predicted
    if (fits && isPlain && bytes.length <= SMALL_BYTES) {
      await open().stats(); // decodes all of it: a broken image would make every later request fail
      return image;
    }
    const picture = open()
      .autoOrient()
      .resize({ width: SHOWN_SIDE, height: SHOWN_SIDE, fit: 'inside', withoutEnlargement: true });
    let prepared = image;
    for await (const { data, info, mediaType: written } of candidates(picture, mediaType)) {
      // Re-encoding may make a small image larger.
      if (fits && isPlain && bytes.length <= MAX_SENT_BYTES && data.length >= bytes.length) return image;
      prepared = { mediaType: written, bytes: data, original, shown: { width: info.width, height: info.height } };
      if (data.length <= SMALL_BYTES) break;
    }
    return prepared; // with this few pixels even the largest image is far below the providers' limit
  } catch (error) {
    throw broken(mediaType, `it can't be unpacked: ${firstLine(error)}`, error);
  }
}

type Picture = ReturnType<Sharp>;
type Candidate = Awaited<ReturnType<typeof written>> & { mediaType: ImageType };

/** Ways to encode the image, least lossy first. */
async function* candidates(picture: Picture, mediaType: ImageType): AsyncGenerator<Candidate> {
  if (mediaType !== 'image/jpeg') yield { ...(await written(picture.clone().png())), mediaType: 'image/png' };
  for (const quality of QUALITIES) {
    const jpeg = picture.clone().flatten({ background: '#fff' }).toColourspace('srgb').jpeg({ quality });
    yield { ...(await written(jpeg)), mediaType: 'image/jpeg' };
  }
}

const written = (picture: Picture) => picture.toBuffer({ resolveWithObject: true });

async function loadSharp(): Promise<Sharp | undefined> {
  // By a name that a bundler does not follow: its native half is located relative to its own folder, so it can't be
  // bundled.
  const name = 'sharp';
  try {
    const loaded: { default: Sharp } = await import(name);
    return loaded.default;
  } catch {
    return undefined; // optional: not installed, or not for this platform
  }
}

const broken = (mediaType: ImageType, why: string, cause?: unknown): UnusableImage =>
  new UnusableImage(
    `is not a whole ${imageFormatName(mediaType)} image (${why}), so it can't be shown. Get or make the file again, then read that.`,
    { cause },
  );

export const imageFormatName = (mediaType: ImageType): string =>
  ({ 'image/png': 'PNG', 'image/jpeg': 'JPEG', 'image/gif': 'GIF', 'image/webp': 'WebP' })[mediaType];

const firstLine = (error: unknown): string => messageOf(error).split('\n')[0]?.trim() ?? '';
