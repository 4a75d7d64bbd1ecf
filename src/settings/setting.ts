// What Helve knows about one setting.
import type * as z from 'zod';
import type { SourceKind } from './locations.js';

export interface Setting<Schema extends z.ZodType = z.ZodType> {
  /** One sentence for the table of settings. */
  about: string;
  /** `list`: elements of all sources are merged. `map`: each name separately. `hooks`: all hooks are merged. */
  shape: 'one' | 'list' | 'map' | 'hooks';
  /** The schema of the value; for lists and maps, of each element. */
  schema: Schema;
  /** Which values of a project apply only once its folder is trusted. Default: none. */
  loosens?: (value: unknown) => boolean;
  /** What an invalid value does. Default: it is ignored. */
  broken?: 'refuse' | { as: string | boolean };
  /** This value wins, whichever source sets it. */
  strictest?: string | boolean;
  /** All values, the most permissive first: an untrusted project's value applies only if it is stricter than the others. */
  order?: readonly string[];
  /** The sources that may set it. Default: all. */
  from?: readonly SourceKind[];
  /** In the files of a person it switches guards off, so programs do not write it there. */
  switchesGuardsOff?: true;
  /** Values are not repeated in messages: they may contain a secret. */
  isSecret?: boolean;
}
