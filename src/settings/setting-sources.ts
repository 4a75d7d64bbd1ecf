// Which values a setting may have from where, for the tables of settings.
import type { SourceKind } from './locations.js';

export const always = (): boolean => true;
export const isTrue = (value: unknown): boolean => value === true;
export const isFalse = (value: unknown): boolean => value === false;
export const ownSources: readonly SourceKind[] = ['managed', 'flag', 'user'];
