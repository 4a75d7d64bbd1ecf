import type { ThemePort } from '../contract.js';
import type { Screen } from './screen.js';
import { chooseTheme, followBackground, type Theme, themeFor, themeNames } from './theme.js';

/** Applies the theme of the settings, or the one that fits the terminal's background, if it reports it. */
export function applyTheme(
  screen: Screen,
  theme: Theme,
  looks: { setting?: string | undefined; env: Readonly<Record<string, string | undefined>> },
): void {
  theme.use(chooseTheme(looks).name);
  void followBackground(theme, looks, async (wait) => await screen.tui.queryTerminalBackgroundColor(wait)).then(
    (changed) => changed && screen.redrawAll(),
  );
}

/** The themes, for commands. */
export function themePort(screen: Screen, theme: Theme): ThemePort {
  return {
    names: themeNames,
    get current() {
      if (!theme.hasColors) return 'none';
      return theme.name.endsWith('colorblind') ? 'colorblind' : theme.name;
    },
    use(name) {
      theme.use(themeFor(name, theme.isLight ? 'light' : 'dark'));
      screen.redrawAll();
    },
  };
}
