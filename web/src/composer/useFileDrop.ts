import { useEffect, useRef, useState } from 'react';

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;

/**
 * Accepts files dropped anywhere on the page: one that misses the zone must not replace the page with an image. `takeFirstFiles`
 * has those that were dropped elsewhere for this post. Returns whether files are held over the page.
 */
export function useFileDrop(
  onFiles: (files: readonly File[]) => void,
  takeFirstFiles: (() => readonly File[]) | undefined,
): boolean {
  const [isOver, setIsOver] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only once
  useEffect(() => {
    const files = takeFirstFiles?.() ?? [];
    if (files.length > 0) onFiles(files);
  }, []);
  const latest = useRef(onFiles);
  useEffect(() => {
    latest.current = onFiles;
  });
  useEffect(() => {
    let depth = 0;
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth += 1;
      setIsOver(true);
    };
    const leave = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth -= 1;
      if (depth <= 0) setIsOver(false);
    };
    const allow = (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth = 0;
      setIsOver(false);
      latest.current([...(event.dataTransfer?.files ?? [])]);
    };
    window.addEventListener('dragenter', enter);
    window.addEventListener('dragleave', leave);
    window.addEventListener('dragover', allow);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragenter', enter);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('dragover', allow);
      window.removeEventListener('drop', drop);
    };
  }, []);
  return isOver;
}
