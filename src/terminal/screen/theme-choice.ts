import type { ThemePort } from '../contract.js';
import type { Screen } from './screen.js';
import { chooseTheme, followBackground, type Theme, type ThemeName, themeNames } from './theme.js';

/** Takes the theme of the settings, or the one that goes with the background where the terminal tells it. */
export function applyTheme(
  screen: Screen,
  theme: Theme,
  looks: { setting?: string | undefined; env: Readonly<Record<string, string | undefined>> },
): void {
  theme.use(chooseTheme(looks).name);
  void followBackground(theme, looks, async (wait) => await screen.tui.queryTerminalBackgroundColor(wait)).then(
    (changed) => changed && screen.drawAnew(),
  );
}

/** The themes as commands see them. */
export function themePort(screen: Screen, theme: Theme): ThemePort {
  return {
    names: themeNames,
    get current() {
      return theme.name;
    },
    use(name) {
      theme.use(themeNames.find((known): known is ThemeName => known === name) ?? theme.name);
      screen.drawAnew();
    },
  };
}
