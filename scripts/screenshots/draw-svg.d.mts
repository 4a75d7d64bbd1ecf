/** What the test of the pictures needs to know. */
export function drawSvg(
  screen: string,
  options: { title: string; about: string; columns: number; theme?: 'dark' | 'light' },
): string;
