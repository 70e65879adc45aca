// A time that is held until its customer confirms it.
import { Link } from 'react-router-dom'
import { classNames } from '@/lib/class-names'
import { formatTime } from '@/lib/format/date'
import { paths } from '@/lib/paths'
import { Icon } from '@/ui/icon'
import { HATCHED_CLASS } from '../lib/schedule-tools'
import { scheduleMessages as texts } from '../messages'
import type { HeldTime } from '../types'

type HeldCardProps = { held: HeldTime; timeZone: string; crew?: string | undefined; className?: string }

export function HeldCard({ held, timeZone, crew, className }: HeldCardProps) {
  const hours = `${formatTime(held.startsAt, timeZone)} – ${formatTime(held.endsAt, timeZone)}`
  const expires = formatTime(held.expiresAt, timeZone)
  const words = texts.heldUntil(expires, held.name)
  return (
    <Link
      to={paths.lead(held.leadId)}
      data-visit={held.id}
      title={`${words} ${hours}`}
      className={classNames(
        'flex min-h-12 w-full min-w-0 flex-col items-start overflow-hidden rounded-field border border-dashed border-base-content/45 bg-base-100 px-2 py-1 text-left text-note hover:bg-primary/8',
        HATCHED_CLASS,
        className,
      )}
    >
      <span className="sr-only">
        {words}, {hours}
        {crew && `, ${crew}`}
      </span>
      <span aria-hidden="true" className="w-full truncate text-caption text-muted tabular-nums">
        {hours}
        {crew && `, ${crew}`}
      </span>
      <span aria-hidden="true" className="flex w-full min-w-0 items-center gap-1.5 font-semibold">
        <Icon name="clock" className="size-4 shrink-0" />
        <span className="min-w-0 truncate">{held.name}</span>
      </span>
      <span aria-hidden="true" className="w-full truncate text-caption text-muted">
        {texts.heldShort(expires)}
      </span>
    </Link>
  )
}
