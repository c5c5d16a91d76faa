// A button on every sample that copies it.

const SHOWN_MS = 2000;

function addButton(sample: HTMLPreElement): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', () => void copy(sample, button));
  const frame = document.createElement('div');
  frame.className = 'sample';
  sample.replaceWith(frame);
  frame.append(sample, button);
}

async function copy(sample: HTMLPreElement, button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(sample.textContent ?? '');
    button.textContent = 'Copied';
  } catch {
    // Browsers offer the clipboard only over https and on localhost; a selection is copied with the keyboard.
    getSelection()?.selectAllChildren(sample);
    button.textContent = 'Selected';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
  }, SHOWN_MS);
}

document.querySelectorAll('pre').forEach(addButton);
