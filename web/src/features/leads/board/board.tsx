// Lead board: one column per stage, one at a time on phones.
import { type PointerEvent, useState } from 'react'
import { LEAD_STAGE_ORDER, LEAD_STAGES, type LeadStage, type LeadSummary } from '@/domain/lead'
import { formatCount } from '@/lib/format/number'
import { isDemoMode } from '@/lib/demo'
import { useMediaQuery } from '@/lib/hooks/use-media-query'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { TabList, TabPanel } from '@/ui/tabs'
import { toast } from '@/ui/toast/toast-store'
import { LeadBoardColumn } from './column'
import { type MoveOutcome, getMoveOutcome } from './move-lead'
import { boardMessages } from './messages'
import { type PendingMove, MoveFlow } from './move-flow'
import { useMoveLead } from './mutations'
import { PendingMoveList } from './pending-move-list'
import { usePendingMoves } from './pending-moves'
import type { BoardColumn } from './queries'
import { type LeadDrag, useLeadDrag } from './use-lead-drag'

const TABS_ID = 'board'

type LeadBoardProps = { columns: readonly BoardColumn[]; q: string }

export function LeadBoard({ columns: stored, q }: LeadBoardProps) {
  const { columns, entries } = usePendingMoves(stored)
  const isWide = useMediaQuery('(min-width: 64rem)', true)
  const isOnline = useOnline()
  const move = useMoveLead()
  const [pendingMove, setAsked] = useState<PendingMove>()
  const of = (lead: LeadSummary) => columns.find(({ stage }) => stage === lead.stage)

  /** Where a lead was put: what has to be asked first is asked. */
  const put = (lead: LeadSummary, to: LeadStage) => {
    const column = of(lead)
    if (!column) return
    const choice = getMoveOutcome(column, to)
    if (choice.kind === 'refused') return void toast.error(boardMessages.moveFailed.title, choice.why)
    if (!isOnline && (choice.kind === 'schedule' || choice.kind === 'payment'))
      return void toast.error(boardMessages.moveFailed.title, boardMessages.offlineStep)
    if (choice.kind !== 'move') return setAsked({ lead, to, step: choice.kind })
    setAsked(undefined)
    move.mutate({ lead, to })
  }
  const { drag, start } = useLeadDrag(put)
  const shown = {
    columns,
    q,
    canMove: isOnline || !isDemoMode(),
    drag,
    onGrab: start,
    onMove: (lead: LeadSummary) => setAsked({ lead, step: 'menu' }),
  }
  const askedColumn = pendingMove && of(pendingMove.lead)
  return (
    <>
      {!isOnline && <p className="mb-3 text-note text-warning">{boardMessages.offline}</p>}
      {entries.length > 0 && <PendingMoveList entries={entries} />}
      {isWide ? <BoardColumns {...shown} /> : <SingleColumn {...shown} />}
      {drag && (
        <DragOverlay
          drag={drag}
          isRefused={drag.over !== undefined && getDropOutcome(columns, drag, drag.over)?.kind === 'refused'}
        />
      )}
      {pendingMove && askedColumn && (
        <MoveFlow
          pendingMove={pendingMove}
          column={askedColumn}
          onAsk={put}
          onStep={setAsked}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  )
}

type ShownProps = LeadBoardProps & {
  canMove: boolean
  drag: LeadDrag | undefined
  onGrab: (event: PointerEvent, lead: LeadSummary) => void
  onMove: (lead: LeadSummary) => void
}

/** What dropping the card there would lead to; undefined while none is in the air. */
function getDropOutcome(
  columns: readonly BoardColumn[],
  drag: LeadDrag | undefined,
  to: LeadStage,
): MoveOutcome | undefined {
  const column = drag && columns.find(({ stage }) => stage === drag.lead.stage)
  return column && column.stage !== to ? getMoveOutcome(column, to) : undefined
}

function BoardColumns({ columns, q, canMove, drag, onGrab, onMove }: ShownProps) {
  return (
    <div className="-mx-2 grid grid-flow-col items-stretch gap-3 overflow-x-auto px-2 pb-2 auto-cols-[minmax(13rem,1fr)]">
      {columns.map((column) => (
        <LeadBoardColumn
          key={column.stage}
          column={column}
          q={q}
          canMove={canMove}
          inTheAir={drag?.lead}
          choice={getDropOutcome(columns, drag, column.stage)}
          isOver={drag?.over === column.stage}
          onGrab={onGrab}
          onMove={onMove}
        />
      ))}
    </div>
  )
}

function SingleColumn({ columns, q, canMove, onGrab, onMove }: ShownProps) {
  const [stage, setStage] = useState<LeadStage>(() => columns.find(({ count }) => count > 0)?.stage ?? 'New')
  const column = columns.find((one) => one.stage === stage)
  const countOf = (name: LeadStage) => formatCount(columns.find((one) => one.stage === name)?.count ?? 0)
  const tabs = LEAD_STAGE_ORDER.map((name) => ({
    name,
    label: `${LEAD_STAGES[name].label} ${countOf(name)}`,
    icon: LEAD_STAGES[name].icon,
  }))
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <TabList label={t('Stages')} id={TABS_ID} tabs={tabs} current={stage} onChange={setStage} />
      {column && (
        <TabPanel id={TABS_ID} name={stage}>
          <LeadBoardColumn
            key={stage}
            column={column}
            q={q}
            canMove={canMove}
            inTheAir={undefined}
            choice={undefined}
            isOver={false}
            onGrab={onGrab}
            onMove={onMove}
          />
        </TabPanel>
      )}
    </div>
  )
}

function describeDrop(to: LeadStage | undefined, isRefused: boolean): string {
  if (!to) return t('Drop it on a column')
  const stage = LEAD_STAGES[to].label
  return isRefused ? t('Not to {stage}', { stage }) : t('To {stage}', { stage })
}

/** The card under the pointer. */
function DragOverlay({ drag: { lead, x, y, over }, isRefused }: { drag: LeadDrag; isRefused: boolean }) {
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none fixed top-0 left-0 z-50 glass-sheet w-56 rounded-box p-3 shadow-xl"
      style={{ transform: `translate(${x + 12}px, ${y + 12}px)` }}
    >
      <p className="font-semibold wrap-anywhere">{lead.name}</p>
      <p className="text-note text-muted">{describeDrop(over === lead.stage ? undefined : over, isRefused)}</p>
    </div>
  )
}
