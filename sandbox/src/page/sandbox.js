// Steps through carousels, and plays the video in view. Without this file both still work by hand.
const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;

for (const carousel of document.querySelectorAll('.carousel')) {
  const slides = carousel.querySelector('.slides');
  const count = carousel.querySelector('.count');
  const [back, on] = carousel.querySelectorAll('.step');
  if (!count) continue;
  const total = slides.children.length;
  const position = () => Math.round(slides.scrollLeft / slides.clientWidth);
  const show = () => {
    count.textContent = `${position() + 1}/${total}`;
    back.hidden = position() === 0;
    on.hidden = position() === total - 1;
  };
  const step = (by) =>
    slides.scrollTo({
      left: (position() + by) * slides.clientWidth,
      behavior: calm ? 'auto' : 'smooth',
    });
  back.addEventListener('click', () => step(-1));
  on.addEventListener('click', () => step(1));
  slides.addEventListener('scroll', show, { passive: true });
  show();
}

if (!calm) {
  const inView = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) target.play().catch(() => {});
        else target.pause();
      }
    },
    { threshold: 0.6 },
  );
  for (const video of document.querySelectorAll('video')) inView.observe(video);
}
