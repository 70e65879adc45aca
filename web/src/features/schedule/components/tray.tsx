// What is to be done and has no time yet: beside the board or above it, on a phone in a sheet.
import { useState } from 'react'
import { classNames } from '@/lib/class-names'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { zoneAttribute } from '../lib/drop'
import type { Tools } from '../lib/tools'
import { scheduleMessages as texts } from '../messages'
import { VisitCard } from './visit-card'

export function Tray({
  tools,
  isFlat = false,
}: {
  tools: Tools
  /** Above the board: side by side. */ isFlat?: boolean
}) {
  const { trayTotal, tray } = tools.schedule
  const isOver = tools.drag?.over?.zone.kind === 'tray' && Boolean(tools.drag.visit.date)
  return (
    <section
      aria-labelledby="schedule-tray"
      data-drop={zoneAttribute({ kind: 'tray' })}
      className={classNames('glass-card self-start p-3', isOver && 'outline-2 outline-primary outline-dashed')}
    >
      <h2 id="schedule-tray" className="mb-2 font-semibold">
        {texts.tray} <Count total={Math.max(trayTotal, tray.length)} />
      </h2>
      <Waiting tools={tools} isFlat={isFlat} />
    </section>
  )
}

function Count({ total }: { total: number }) {
  return total > 0 ? (
    <span className="rounded-full bg-primary/12 px-2 text-note text-primary tabular-nums">{total}</span>
  ) : null
}

function Waiting({ tools, isFlat = false }: { tools: Tools; isFlat?: boolean }) {
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
        <p className="mt-2 text-note text-muted">and {trayTotal - tray.length} more under Booked Jobs</p>
      )}
    </>
  )
}

/** On a phone: a button that says how many wait, and the sheet with them. */
export function TraySheet({ tools }: { tools: Tools }) {
  const [isOpen, setIsOpen] = useState(false)
  const open = (visit: Parameters<Tools['open']>[0]) => {
    setIsOpen(false)
    tools.open(visit)
  }
  return (
    <>
      <Button variant="secondary" icon="inbox" onClick={() => setIsOpen(true)}>
        {texts.tray} <Count total={tools.schedule.trayTotal} />
      </Button>
      <Dialog open={isOpen} onClose={() => setIsOpen(false)} title={texts.tray}>
        <Waiting tools={{ ...tools, open, canMove: false }} />
      </Dialog>
    </>
  )
}
