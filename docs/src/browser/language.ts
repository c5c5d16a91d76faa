// Which language the samples are shown in: chosen once for all of them, and kept in this browser. It runs before the page is drawn, so
// that nothing moves afterwards.
{
  const KEY = 'airdate-docs-language';
  const root = document.documentElement;
  const tabs = () => [...document.querySelectorAll<HTMLButtonElement>('[role=tab][data-language]')];

  const stored = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  };

  const show = (language: string) => {
    root.dataset.language = language;
    for (const tab of tabs()) {
      const isChosen = tab.dataset.language === language;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
    }
  };

  const choose = (tab: HTMLButtonElement) => {
    const before = tab.getBoundingClientRect().top;
    show(tab.dataset.language as string);
    // The boxes above have changed their height; what was clicked stays where it is.
    scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' });
    tab.focus({ preventScroll: true });
    try {
      localStorage.setItem(KEY, root.dataset.language as string);
    } catch {
      // Private windows may refuse; then it holds for this page.
    }
  };

  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const own = [...((event.currentTarget as Element).parentElement?.children ?? [])] as HTMLButtonElement[];
    if (step === undefined) return;
    event.preventDefault();
    choose(
      own.at(
        (own.indexOf(event.currentTarget as HTMLButtonElement) + step) % own.length,
      ) as HTMLButtonElement,
    );
  };

  const language = stored() ?? '';
  root.dataset.language = ['sh', 'ts', 'python'].includes(language) ? language : 'sh';
  document.addEventListener('DOMContentLoaded', () => {
    show(root.dataset.language as string);
    for (const tab of tabs()) {
      tab.addEventListener('click', () => choose(tab));
      tab.addEventListener('keydown', move);
    }
  });
}
