import type { ContentBlock } from '../../contract/message.js';
import type { ImageType } from '../../platform/files/file-kind.js';
import type { OpenedFile } from '../../platform/files/open-file.js';
import { imageFormatName, MAX_FILE_BYTES, prepareImage, UnusableImage } from '../../platform/formats/image.js';
import type { ImageSize } from '../../platform/formats/image-size.js';
import { firstSentence } from '../../platform/text/clause.js';
import { refusal } from '../refusal.js';
import type { TargetFile } from '../target-file.js';

export interface ImageFile {
  type: 'image';
  path: string;
  format: string;
  /** The size of the file. */
  bytes: number;
  original: ImageSize;
  /** The type of the image that is shown, which may be scaled down and converted. */
  mediaType: ImageType;
  base64: string;
  shown: ImageSize;
}

export async function readImageFile(
  target: TargetFile,
  handle: OpenedFile,
  size: number,
  mediaType: ImageType,
): Promise<ImageFile> {
  if (size > MAX_FILE_BYTES) {
    throw refusal(`${target.shown} is an image of ${size} bytes, more than the ${MAX_FILE_BYTES} that are loaded.`, {
      advice: 'Make a smaller copy, then read that.',
    });
  }
  const prepared = await prepareImage(await handle.readFile(), mediaType).catch((error: unknown) => {
    throw error instanceof UnusableImage
      ? refusal(`${target.shown} ${error.message}`, {
          problem: `${target.shown} ${firstSentence(error.message)}`,
          cause: error,
        })
      : error;
  });
  const { original, shown } = prepared;
  return {
    type: 'image',
    path: target.shown,
    format: imageFormatName(mediaType),
    bytes: size,
    original,
    mediaType: prepared.mediaType,
    base64: prepared.bytes.toString('base64'),
    shown,
  };
}

export function describeImage({ path, format, original, mediaType, base64, shown }: ImageFile): ContentBlock[] {
  const size = `${original.width}×${original.height} pixels`;
  const scaled =
    shown.width === original.width
      ? ''
      : `, shown as ${shown.width}×${shown.height}. Multiply coordinates by ${(original.width / shown.width).toFixed(3)} to get those of the original`;
  return [
    { type: 'image', source: { type: 'base64', media_type: mediaType, data: base64 } },
    { type: 'text', text: `(${path}: ${format} image, ${size}${scaled}.)` },
  ];
}
