import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const pagesOf = async (dir: string): Promise<string[]> => (await readdir(dir)).map((file) => join(dir, file));
const guides = (await Promise.all(['docs/guides', 'docs/zh'].map(pagesOf))).flat();
const packages = (await readdir('packages')).map((name) => join('packages', name, 'README.md'));
const names = ['docs/coming-from-client-go.md', 'docs/coming-from-controller-runtime.md'];
const pages = ['README.md', 'README.zh-CN.md', ...names, ...guides, ...packages];

interface Snippet {
  readonly page: string;
  /** How many headings stand before it. */
  readonly section: number;
  /** `examples/informers/informer.ts`, `examples/informers/informer.ts#part`, `examples/informers/informer.ts#part,another` */
  readonly source: string;
  readonly language: string;
  readonly code: string;
}

/** The pages with code, by path. */
export const texts: ReadonlyMap<string, string> = new Map(
  await Promise.all(pages.map(async (page) => [page, await readFile(page, 'utf8')] as const)),
);
/** The blocks that are cut from files. */
export const snippets: readonly Snippet[] = [...texts].flatMap(([page, text]): Snippet[] =>
  [...text.matchAll(/<!-- cut from (\S+) -->\n```(ts|js|yaml)\n([\s\S]*?)```/g)].map(
    ({ index, 1: source = '', 2: language = '', 3: code = '' }) => {
      const before = text.slice(0, index).replaceAll(/^```[\s\S]*?^```/gm, '');
      return { page, section: before.match(/^#+ /gm)?.length ?? 0, source, language, code };
    },
  ),
);
