// State of an item as color, icon and words.
import { formatDayTime, formatDayTimeInSentence } from '@/lib/format/zone-time'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { describeAge, describePromise } from '../lib/describe-item'
import { useWorkClock } from '../lib/work-clock'
import type { WorkItem, WorkView } from '../types'

export function WorkBadges({ item, view }: { item: WorkItem; view: WorkView }) {
  const { id } = useCurrentUser()
  const { assignee } = item
  return (
    <p className="flex min-w-0 flex-1 flex-wrap items-center gap-1.5">
      {view === 'next' && <WaitBadges item={item} />}
      {view === 'snoozed' && <SnoozedBadge until={item.snoozedUntil} />}
      {view === 'done' && <DoneBadge item={item} />}
      {assignee && (
        <Badge tone="accent" icon="user">
          {assignee.id === id ? t('Yours') : assignee.name}
        </Badge>
      )}
    </p>
  )
}

/** How long they wait, and what they were promised. */
function WaitBadges({ item }: { item: WorkItem }) {
  const { orgTimezone } = useCurrentUser()
  const now = useWorkClock()
  const age = describeAge(item.since, now)
  const promise = describePromise(item, now, orgTimezone)
  return (
    <>
      {age && (
        <Badge tone={age.tone} icon="clock">
          {age.words}
        </Badge>
      )}
      {promise && (
        <Badge tone={promise.isLate ? 'error' : 'neutral'} icon={promise.isLate ? 'alert' : 'bell'}>
          {promise.words}
        </Badge>
      )}
    </>
  )
}

function SnoozedBadge({ until }: { until: WorkItem['snoozedUntil'] }) {
  const { orgTimezone } = useCurrentUser()
  const now = useWorkClock()
  return (
    until && (
      <Badge tone="neutral" icon="moon">
        {t('Until {time}', { time: formatDayTimeInSentence(until, orgTimezone, now) })}
      </Badge>
    )
  )
}

function DoneBadge({ item: { doneAt, doneBy } }: { item: WorkItem }) {
  const { orgTimezone } = useCurrentUser()
  const now = useWorkClock()
  const time = doneAt ? formatDayTime(doneAt, orgTimezone, now) : ''
  return (
    doneAt && (
      <Badge tone="success" icon="check">
        {doneBy ? t('{time} by {name}', { time, name: doneBy }) : time}
      </Badge>
    )
  )
}
