import type { ListPage } from '../queries'

/** What comes in between two pages moves the rest down by one, onto the next page too. */
export function mergePages<T extends { id: string }>(pages: readonly ListPage<T>[]): { items: T[]; total: number } {
  const byId = new Map(pages.flatMap(({ items }) => items).map((item) => [item.id, item]))
  return { items: [...byId.values()], total: pages[0]?.total ?? 0 }
}
