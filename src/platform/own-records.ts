import { ofProcess } from './of-process.js';

/**
 * The paths of the records with which this process tells others that it is at work, while they exist. Their process
 * runs, which another process can only know after it has read them: docs/decisions/0220.
 */
export const ownRecords = (): Set<string> => ofProcess('ownRecords', () => new Set());
