import type { PointerEvent } from 'react'
import { Link } from 'react-router-dom'
import { serviceLabel, type LeadSummary } from '@/domain/lead'
import { classNames } from '@/lib/class-names'
import { formatDate } from '@/lib/format/date'
import { formatMoney } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { IconButton } from '@/ui/button'
import { LeadBadges } from '../components/lead-badges'
import { leadColumnAmount } from './move-lead'

type BoardCardProps = {
  lead: LeadSummary
  timeZone: string
  isInTheAir: boolean
  canMove: boolean
  onGrab: (event: PointerEvent, lead: LeadSummary) => void
  onMove: (lead: LeadSummary) => void
}

export function BoardCard({ lead, timeZone, isInTheAir, canMove, onGrab, onMove }: BoardCardProps) {
  const amount = leadColumnAmount(lead, lead.stage)
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- dragging repeats the menu
    <li
      className={classNames(
        'glass-card grid gap-2 p-3 select-none',
        canMove && 'lg:cursor-grab',
        isInTheAir && 'opacity-40',
      )}
      onPointerDown={(event) => canMove && onGrab(event, lead)}
    >
      <div className="flex items-start justify-between gap-1">
        <div className="min-w-0">
          <h3 className="font-semibold wrap-anywhere">
            <Link to={paths.leadShort(lead.id)} draggable={false} className="inline-block min-h-6 hover:underline">
              {lead.name}
            </Link>
          </h3>
          <p className="text-note text-muted wrap-anywhere">{serviceLabel(lead.service)}</p>
        </div>
        <IconButton
          label={t('Move {name}', { name: lead.name })}
          icon="dots"
          className="-mt-2 -mr-2 shrink-0"
          disabled={!canMove}
          onClick={() => onMove(lead)}
        />
      </div>
      <LeadBadges lead={lead} />
      <p className="flex flex-wrap justify-between gap-x-2 text-note tabular-nums">
        <span className={amount > 0 ? 'font-semibold' : 'text-muted'}>
          {amount > 0 ? formatMoney(amount) : t('No amount')}
        </span>
        <span className="text-muted">{formatDate(lead.lastTouchAt, timeZone)}</span>
      </p>
    </li>
  )
}
