import { expect, test } from 'vitest';
import { type ColorRole, nearestIndexed, palettes, type Rgb, rgbOf } from './palettes.js';

const TEXT_CONTRAST = 4.5; // WCAG 2, level AA
const onCode: readonly ColorRole[] = ['keyword', 'string', 'number', 'comment', 'function', 'type'];

const luminance = ({ r, g, b }: Rgb): number => {
  const linear = (part: number): number => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
};

function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** The colour of a number from 16 on. */
function indexed(number: number): Rgb {
  if (number >= 232) return { r: 8 + (number - 232) * 10, g: 8 + (number - 232) * 10, b: 8 + (number - 232) * 10 };
  const part = (value: number): number => (value === 0 ? 0 : 55 + value * 40);
  const cube = number - 16;
  return { r: part(Math.floor(cube / 36)), g: part(Math.floor(cube / 6) % 6), b: part(cube % 6) };
}

/** Every pair of a text colour and a background that occurs, with its contrast. */
function pairs({ text, background, colors, grounds }: (typeof palettes)['dark']): Array<[string, number]> {
  const base = rgbOf(background);
  const onGround = (ground: keyof typeof grounds, roles: readonly ColorRole[]): Array<[string, number]> =>
    [['text', text] as const, ...roles.map((role) => [role, colors[role]] as const)].map(([role, color]) => [
      `${role} on ${ground}`,
      contrast(rgbOf(color), rgbOf(grounds[ground][0])),
    ]);
  const roles = Object.keys(colors).filter((role): role is ColorRole => role !== 'border');
  return [
    ...roles.map((role): [string, number] => [role, contrast(rgbOf(colors[role]), base)]),
    ...onGround('prompt', ['user', 'accent', 'muted']),
    ...onGround('code', [...onCode, 'muted']),
    ...(['added', 'addedPart'] as const).flatMap((ground) => onGround(ground, [...onCode, 'added'])),
    ...(['removed', 'removedPart'] as const).flatMap((ground) => onGround(ground, [...onCode, 'removed'])),
  ];
}

test.each(Object.entries(palettes))('each text of %s can be read on its background', (_, palette) => {
  const weak = pairs(palette).filter(([, value]) => value < TEXT_CONTRAST);
  expect(weak.map(([what, value]) => `${what}: ${value.toFixed(2)}`)).toEqual([]);
});

test.each(Object.entries(palettes))('with 256 colours, each text of %s can be read', (_, palette) => {
  const roles = Object.entries(palette.colors).filter(([role]) => role !== 'border');
  const weak = roles.filter(
    ([, color]) => contrast(indexed(nearestIndexed(rgbOf(color))), rgbOf(palette.background)) < TEXT_CONTRAST,
  );
  expect(weak).toEqual([]);
});

/** As an eye without the receptor for green sees it (Viénot 1999). */
function asDeuteranope(color: Rgb): Rgb {
  const linear = (part: number): number => (part / 255) ** 2.2;
  const back = (share: number): number => 255 * Math.max(0, share) ** (1 / 2.2);
  const [r, g, b] = [linear(color.r), linear(color.g), linear(color.b)];
  const [l, s] = [17.8824 * r + 43.5161 * g + 4.11935 * b, 0.0299566 * r + 0.184309 * g + 1.46709 * b];
  const m = 0.494207 * l + 1.24827 * s;
  return {
    r: back(0.0809444479 * l - 0.130504409 * m + 0.116721066 * s),
    g: back(-0.0102485335 * l + 0.0540193266 * m - 0.113614708 * s),
    b: back(-0.000365296938 * l - 0.00412161469 * m + 0.693511405 * s),
  };
}

test.each(['dark-colorblind', 'light-colorblind'] as const)(
  '%s tells added from removed without red and green',
  (name) => {
    const { colors } = palettes[name];
    const [added, removed] = [asDeuteranope(rgbOf(colors.added)), asDeuteranope(rgbOf(colors.removed))];
    expect(Math.abs(added.b - removed.b)).toBeGreaterThan(80);
  },
);

test('finds the nearest of 256 colours', () => {
  expect([nearestIndexed({ r: 255, g: 0, b: 0 }), nearestIndexed({ r: 128, g: 128, b: 128 })]).toEqual([196, 244]);
});
