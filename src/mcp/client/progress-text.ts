import { plainLine } from '../../platform/text/plain-text.js';

/** A server's report of progress, for a person. */
export function progressText(progress: number, total: number | undefined, message: string | undefined): string {
  const count = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message ? `${plainLine(message, 200)} (${count})` : count;
}
