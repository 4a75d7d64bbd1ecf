import { nearestWords } from '../platform/text/similar-text.js';
import { UsageProblem } from './usage-problem.js';

/** The known value that a flag was given; otherwise a usage error with the nearest one. */
export function oneOf<Known extends string>(flag: string, known: readonly Known[], given: string): Known {
  const found = known.find((one) => one === given);
  if (found !== undefined) return found;
  const [nearest] = nearestWords(given, known);
  const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  throw new UsageProblem(
    `${flag} takes ${known.join(known.length === 2 ? ' or ' : ', ')}, but was "${given}".${meant}`,
  );
}
