import { useEffect, useState } from 'preact/hooks';

/** Whether the window fits a media query. */
export function useWide(query: string): boolean {
  const [isWide, setWide] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const onChange = (): void => setWide(media.matches);
    onChange();
    media.addEventListener('change', onChange);
    return () => media.removeEventListener('change', onChange);
  }, [query]);
  return isWide;
}
