// Features that are built only on request: HELVE_FEATURES=sticker-request node scripts/build.mjs
const features = ['sticker-request'];

/** For each feature, the name that stands for its gate in the source, and whether it is on. */
export function featureGates(wanted = process.env.HELVE_FEATURES ?? '') {
  const names = wanted.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => name !== '' && !features.includes(name));
  if (unknown.length > 0) {
    throw new Error(`HELVE_FEATURES names ${unknown.join(', ')}, but the features are: ${features.join(', ')}.`);
  }
  return Object.fromEntries(features.map((name) => [gateOf(name), String(names.includes(name))]));
}

const gateOf = (name) => `HELVE_FEATURE_${name.toUpperCase().replaceAll('-', '_')}`;
