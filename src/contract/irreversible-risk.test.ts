import { expect, test } from 'vitest';
import { irreversibleRisk, type Risk } from './permission.js';

const risk = (kind: Risk['kind'], level: Risk['level'] = 'high'): Risk => ({
  ...{ kind, level, text: kind, undoable: false, effects: [] },
});

test.each<[string, Risk[], Risk['kind'] | undefined]>([
  ['a secret that is sent away', [risk('secrets'), risk('network')], 'network'],
  ['data that is sent away', [risk('network')], undefined],
  ['a secret that is read', [risk('secrets'), risk('network', 'notable')], undefined],
  ['a downloaded script that runs', [risk('downloaded_code'), risk('network', 'notable')], 'downloaded_code'],
  ['an installed package', [risk('downloaded_code', 'notable')], undefined],
])('%s: what nothing can restore is told', (_, risks, kind) => {
  expect(irreversibleRisk(risks)?.kind).toBe(kind);
});
