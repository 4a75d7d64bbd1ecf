// Small line icons. They are decoration: what they stand beside has a name of its own.
const shapes = {
  plus: 'M8 3v10M3 8h10',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.6 10.6 14 14',
  back: 'M10 3 5 8l5 5',
  chevron: 'M6 4l4 4-4 4',
  down: 'M4 6l4 4 4-4',
  stop: 'M4.5 4.5h7v7h-7z',
  send: 'M8 13V3M4 7l4-4 4 4',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  moon: 'M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7Z',
  system: 'M2 3h12v8H2zM6 14h4',
  bell: 'M4 11V7a4 4 0 0 1 8 0v4l1 1.5H3ZM6.5 14.5h3',
  leave: 'M6 3H3v10h3M10 5l3 3-3 3M13 8H6',
  help: 'M6 6a2 2 0 1 1 3 1.7c-.7.4-1 .8-1 1.6M8 12v.2M8 15A7 7 0 1 0 8 1a7 7 0 0 0 0 14Z',
  undo: 'M5 3 2 6l3 3M2 6h7a4 4 0 0 1 0 8H6',
  menu: 'M2 4h12M2 8h12M2 12h12',
  close: 'M4 4l8 8M12 4l-8 8',
  folder: 'M2 4h4l1.5 2H14v7H2z',
  branch: 'M4 3v7M4 13a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM12 6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM12 6c0 4-8 2-8 5',
  table: 'M2 3h12v10H2zM2 7h12M6 3v10',
} as const;

export type IconName = keyof typeof shapes;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={shapes[name]} />
  </svg>
);
