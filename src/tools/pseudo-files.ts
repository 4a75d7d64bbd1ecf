import { pseudoFileSystem } from '../platform/files/pseudo-file-system.js';
import { refusal } from './refusal.js';

/** Throws if the path is in a file system such as /proc. */
export function refusePseudoFiles(real: string, shown: string): void {
  const system = pseudoFileSystem(real);
  if (system === undefined) return;
  throw refusal(
    `${shown} lies in ${system}, whose files are made up by the system as they are read: they may never end, or hold secrets of running programs.`,
    { advice: 'Use a command that reports what you need (for example ps, lscpu or df).' },
  );
}
