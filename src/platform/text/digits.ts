/** 30000 as "30,000". The platform's own way takes ten milliseconds to load, which is a third of a start. */
export const grouped = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
