// Conversation items merged from pages and grouped by day.
import type { ConversationItem, ConversationPage } from '../types'
import { getZoneDay } from '@/lib/format/zone-time'

/** What an item is known by, over a refresh too. */
export function getItemKey(item: ConversationItem): string {
  if (item.type === 'message') return item.message.id
  if (item.type === 'call') return item.call.id
  return `${item.leadId} ${item.at}`
}

/** Messages sent later than this after writing are placed by their send time. */
const HELD_THRESHOLD_MS = 60_000

/** Position of an item in the conversation; for a held text, its send time. */
function getTimelineTime(item: ConversationItem): number {
  const at = Date.parse(item.at)
  const left =
    item.type === 'message' && item.message.direction === 'out' && item.message.sentAt
      ? Date.parse(item.message.sentAt)
      : at
  return left - at > HELD_THRESHOLD_MS ? left : at
}

/** All items of the pages, oldest first, each once: pages overlap when something arrives between two. */
export function mergeConversationPages(pages: readonly ConversationPage[]): ConversationItem[] {
  const byKey = new Map(
    pages
      .toReversed()
      .flatMap(({ items }) => items)
      .map((item) => [getItemKey(item), item]),
  )
  return [...byKey.values()].toSorted((a, b) => getTimelineTime(a) - getTimelineTime(b))
}

export type TimelineDay = { day: string; at: number; items: ConversationItem[] }

/** The items by the days of the business's clock. */
export function groupItemsByDay(items: readonly ConversationItem[], timeZone: string): TimelineDay[] {
  const days: TimelineDay[] = []
  for (const item of items) {
    const at = getTimelineTime(item)
    const day = getZoneDay(timeZone, at)
    const last = days.at(-1)
    if (last?.day === day) last.items.push(item)
    else days.push({ day, at, items: [item] })
  }
  return days
}
