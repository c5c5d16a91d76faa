/** A coloured disc with the first letter, always the same for a name. */
export function avatar(username: string): string {
  const hue = [...username].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" width="100" height="100">
<circle cx="50" cy="50" r="50" fill="hsl(${hue} 45% 45%)"/>
<text x="50" y="67" font-family="sans-serif" font-size="48" text-anchor="middle" fill="#fff">${username.charAt(0).toUpperCase()}</text>
</svg>`;
}
