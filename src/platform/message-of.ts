import { isOutOfDescriptors, OUT_OF_DESCRIPTORS } from './descriptors.js';

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  if (isOutOfDescriptors(error)) return OUT_OF_DESCRIPTORS;
  return error instanceof Error ? error.message : String(error);
}
