import { isOutOfDescriptors, OUT_OF_DESCRIPTORS } from './descriptors.js';

/** The message of an error, for any thrown value. */
export function messageOf(error: unknown): string {
  if (isOutOfDescriptors(error)) return OUT_OF_DESCRIPTORS;
  return error instanceof Error ? error.message : String(error);
}
