// Unscheduled jobs, in a sheet on phones.
import { useState } from 'react'
import { classNames } from '@/lib/class-names'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { serializeZone } from '../lib/drop-target'
import type { ScheduleTools } from '../lib/schedule-tools'
import { scheduleMessages as texts } from '../messages'
import { VisitCard } from './visit-card'

export function UnscheduledPanel({
  tools,
  isFlat = false,
}: {
  tools: ScheduleTools
  /** Above the board: side by side. */ isFlat?: boolean
}) {
  const { trayTotal, tray } = tools.schedule
  const isOver = tools.drag?.over?.zone.kind === 'tray' && Boolean(tools.drag.visit.date)
  return (
    <section
      aria-labelledby="schedule-tray"
      data-drop={serializeZone({ kind: 'tray' })}
      className={classNames('glass-card self-start p-3', isOver && 'outline-2 outline-primary outline-dashed')}
    >
      <h2 id="schedule-tray" className="mb-2 font-semibold">
        {texts.tray} <UnscheduledCount total={Math.max(trayTotal, tray.length)} />
      </h2>
      <UnscheduledList tools={tools} isFlat={isFlat} />
    </section>
  )
}

function UnscheduledCount({ total }: { total: number }) {
  return total > 0 ? (
    <span className="rounded-full bg-primary/12 px-2 text-note text-primary tabular-nums">{total}</span>
  ) : null
}

function UnscheduledList({ tools, isFlat = false }: { tools: ScheduleTools; isFlat?: boolean }) {
  const { tray, trayTotal } = tools.schedule
  if (tray.length === 0) return <p className="text-note text-muted">{texts.trayEmpty}</p>
  return (
    <>
      <ul
        className={classNames(
          'grid gap-2',
          isFlat
            ? 'max-h-56 grid-cols-[repeat(auto-fill,minmax(13rem,1fr))] overflow-y-auto'
            : 'grid-cols-[minmax(0,1fr)]',
        )}
      >
        {tray.map((visit) => (
          <li key={visit.id}>
            <VisitCard visit={visit} tools={tools} crew />
          </li>
        ))}
      </ul>
      {trayTotal > tray.length && (
        <p className="mt-2 text-note text-muted">
          {t('and {count} more under Booked Jobs', { count: trayTotal - tray.length })}
        </p>
      )}
    </>
  )
}

/** On a phone: a button that says how many wait, and the sheet with them. */
export function UnscheduledSheet({ tools }: { tools: ScheduleTools }) {
  const [isOpen, setIsOpen] = useState(false)
  const open = (visit: Parameters<ScheduleTools['open']>[0]) => {
    setIsOpen(false)
    tools.open(visit)
  }
  return (
    <>
      <Button variant="secondary" icon="inbox" onClick={() => setIsOpen(true)}>
        {texts.tray} <UnscheduledCount total={tools.schedule.trayTotal} />
      </Button>
      <Dialog open={isOpen} onClose={() => setIsOpen(false)} title={texts.tray}>
        <UnscheduledList tools={{ ...tools, open, canMove: false }} />
      </Dialog>
    </>
  )
}
