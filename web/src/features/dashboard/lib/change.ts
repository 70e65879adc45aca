// How a number stands against the one before, as an arrow and words: never as a colour alone.
import type { IconName } from '@/ui/icon'

export type Change = { icon: IconName | undefined; words: string }

/** `4 more than`, `2 fewer than`, `Same as`, to be followed by what it is compared with. */
export function countChange(now: number, before: number): Change {
  const more = now - before
  if (more === 0) return { icon: undefined, words: 'Same as' }
  return more > 0
    ? { icon: 'arrow-up', words: `${more} more than` }
    : { icon: 'arrow-down', words: `${-more} fewer than` }
}
