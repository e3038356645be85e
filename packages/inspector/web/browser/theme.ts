const STORED = 'inspector-theme';

/** Light or dark: as the system has it, until somebody says otherwise. */
export function restoreTheme(): void {
  const chosen = localStorage.getItem(STORED);
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset['theme'] = chosen;
}

export function toggleTheme(): void {
  const { dataset } = document.documentElement;
  const isDark =
    dataset['theme'] === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : dataset['theme'] === 'dark';
  dataset['theme'] = isDark ? 'light' : 'dark';
  localStorage.setItem(STORED, dataset['theme']);
}
