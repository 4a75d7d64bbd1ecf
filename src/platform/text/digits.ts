/** Formats 30000 as "30,000". `Intl` takes ten milliseconds to load, a third of a start. */
export const grouped = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
