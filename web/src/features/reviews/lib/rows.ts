// The rows of all pages that were fetched, each told once.
import type { Page } from '../queries'

/** What comes in between two pages moves the rest down by one, onto the next page too. */
export function rowsOf<T extends { id: string }>(pages: readonly Page<T>[]): { items: T[]; total: number } {
  const byId = new Map(pages.flatMap(({ items }) => items).map((item) => [item.id, item]))
  return { items: [...byId.values()], total: pages[0]?.total ?? 0 }
}
