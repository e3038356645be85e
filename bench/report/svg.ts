/** The parts that all plots share: a page that is readable on light and dark ground, text, numbers. */

/** Colours of the families: on light ground, on dark ground. */
const COLOURS: Readonly<Record<string, readonly [string, string]>> = {
  'kube-informer': ['#0b7a4b', '#3ddc97'],
  'client-go': ['#1f6feb', '#6cb0ff'],
  'controller-runtime': ['#1f6feb', '#6cb0ff'],
  'kube-rs': ['#b4451f', '#ff9466'],
  fabric8: ['#8a3ffc', '#c4a1ff'],
  'client-node': ['#b58900', '#f2cc60'],
  limit: ['#8b949e', '#8b949e'],
};

const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.title { font-size: 16px; font-weight: 600; }
.quiet { fill: #59636e; font-size: 12px; }
.axis { stroke: #d1d9e0; stroke-width: 1; }
.range { stroke: #1f2328; stroke-width: 1.5; opacity: .55; }
.line { fill: none; stroke-width: 2; }
${rules(0)}
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc; } .quiet { fill: #9198a1; } .axis { stroke: #3d444d; } .range { stroke: #f0f6fc; }
${rules(1)}
}`;

function rules(ground: 0 | 1): string {
  return Object.entries(COLOURS)
    .map(
      ([family, colours]) => `.f-${family} { fill: ${colours[ground]}; } .s-${family} { stroke: ${colours[ground]}; }`,
    )
    .join('\n');
}

/** A whole picture. It has no ground of its own: the page behind it shows. */
export function svgPage(width: number, height: number, title: string, body: readonly string[]): string {
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  const parts = [`<title>${escapeText(title)}</title>`, `<style>${STYLE}</style>`, ...body];
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">\n${parts.join('\n')}\n</svg>\n`;
}

export function svgText(x: number, y: number, text: string, attributes = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${escapeText(text)}</text>`;
}

export function svgLine(x1: number, y1: number, x2: number, y2: number, name: string): string {
  const at = [x1, y1, x2, y2].map((value) => value.toFixed(1));
  return `<line x1="${at[0]}" y1="${at[1]}" x2="${at[2]}" y2="${at[3]}" class="${name}"/>`;
}

/** A number with as many digits as are read. */
export function shortNumber(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
