// Change of a count as arrow and text.
import { t } from '@/lib/i18n'
import type { IconName } from '@/ui/icon'

export type CountChange = { icon: IconName | undefined; text: string }

/** `4 more than`, `2 fewer than`, `Same as`, to be followed by what it is compared with. */
export function describeCountChange(now: number, before: number): CountChange {
  const more = now - before
  if (more === 0) return { icon: undefined, text: t('Same as') }
  return more > 0
    ? { icon: 'arrow-up', text: t('{count} more than', { count: more }) }
    : { icon: 'arrow-down', text: t('{count} fewer than', { count: -more }) }
}
