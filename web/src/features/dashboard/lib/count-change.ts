// Change of a count as arrow and text.
import type { IconName } from '@/ui/icon'

export type CountChange = { icon: IconName | undefined; text: string }

/** `4 more than`, `2 fewer than`, `Same as`, to be followed by what it is compared with. */
export function describeCountChange(now: number, before: number): CountChange {
  const more = now - before
  if (more === 0) return { icon: undefined, text: 'Same as' }
  return more > 0
    ? { icon: 'arrow-up', text: `${more} more than` }
    : { icon: 'arrow-down', text: `${-more} fewer than` }
}
