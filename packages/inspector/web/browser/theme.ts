const STORED = 'inspector-theme';

/** Applies the chosen theme; without a choice, the system's applies. */
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
