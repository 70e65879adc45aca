// The leads as a board: a column for each stage, side by side where there is room, one at a time on a phone.
import { type PointerEvent, useState } from 'react'
import { LEAD_STAGE_ORDER, LEAD_STAGES, type LeadStage } from '@/domain/lead'
import { formatCount } from '@/lib/format/number'
import { useMedia } from '@/lib/hooks/use-media'
import { useOnline } from '@/lib/hooks/use-online'
import { TabList, TabPanel } from '@/ui/tabs'
import { toast } from '@/ui/toast/toast-store'
import type { LeadSummary } from '../queries'
import { Column } from './column'
import { type Choice, choiceOf } from './lib'
import { boardMessages } from './messages'
import { type Asked, MoveFlow } from './move-flow'
import { useMoveLead } from './mutations'
import type { BoardColumn } from './queries'
import { type Drag, useDrag } from './use-drag'

const TABS_ID = 'board'

type BoardProps = { columns: readonly BoardColumn[]; q: string }

export function Board({ columns, q }: BoardProps) {
  const isWide = useMedia('(min-width: 64rem)', true)
  const isOnline = useOnline()
  const move = useMoveLead()
  const [asked, setAsked] = useState<Asked>()
  const of = (lead: LeadSummary) => columns.find(({ stage }) => stage === lead.stage)

  /** Where a lead was put: what has to be asked first is asked. */
  const put = (lead: LeadSummary, to: LeadStage) => {
    const column = of(lead)
    if (!column) return
    const choice = choiceOf(column, to)
    if (choice.kind === 'refused') return void toast.error(boardMessages.moveFailed.title, choice.why)
    if (choice.kind !== 'move') return setAsked({ lead, to, step: choice.kind })
    setAsked(undefined)
    move.mutate({ lead, to })
  }
  const { drag, start } = useDrag(put)
  const shown = {
    columns,
    q,
    canMove: isOnline,
    drag,
    onGrab: start,
    onMove: (lead: LeadSummary) => setAsked({ lead, step: 'menu' }),
  }
  const askedColumn = asked && of(asked.lead)
  return (
    <>
      {!isOnline && <p className="mb-3 text-note text-warning">{boardMessages.offline}</p>}
      {isWide ? <Columns {...shown} /> : <OneColumn {...shown} />}
      {drag && (
        <InTheAir
          drag={drag}
          isRefused={drag.over !== undefined && choiceThere(columns, drag, drag.over)?.kind === 'refused'}
        />
      )}
      {asked && askedColumn && (
        <MoveFlow
          asked={asked}
          column={askedColumn}
          onAsk={put}
          onStep={setAsked}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  )
}

type ShownProps = BoardProps & {
  canMove: boolean
  drag: Drag | undefined
  onGrab: (event: PointerEvent, lead: LeadSummary) => void
  onMove: (lead: LeadSummary) => void
}

/** What dropping the card there would lead to; undefined while none is in the air. */
function choiceThere(columns: readonly BoardColumn[], drag: Drag | undefined, to: LeadStage): Choice | undefined {
  const column = drag && columns.find(({ stage }) => stage === drag.lead.stage)
  return column && column.stage !== to ? choiceOf(column, to) : undefined
}

function Columns({ columns, q, canMove, drag, onGrab, onMove }: ShownProps) {
  return (
    <div className="-mx-2 grid grid-flow-col items-stretch gap-3 overflow-x-auto px-2 pb-2 auto-cols-[minmax(13rem,1fr)]">
      {columns.map((column) => (
        <Column
          key={column.stage}
          column={column}
          q={q}
          canMove={canMove}
          inTheAir={drag?.lead}
          choice={choiceThere(columns, drag, column.stage)}
          isOver={drag?.over === column.stage}
          onGrab={onGrab}
          onMove={onMove}
        />
      ))}
    </div>
  )
}

function OneColumn({ columns, q, canMove, onGrab, onMove }: ShownProps) {
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
      <TabList label="Stages" id={TABS_ID} tabs={tabs} current={stage} onChange={setStage} />
      {column && (
        <TabPanel id={TABS_ID} name={stage}>
          <Column
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

/** The card under the pointer. */
function InTheAir({ drag: { lead, x, y, over }, isRefused }: { drag: Drag; isRefused: boolean }) {
  const there =
    over && over !== lead.stage ? `${isRefused ? 'Not to' : 'To'} ${LEAD_STAGES[over].label}` : 'Drop it on a column'
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none fixed top-0 left-0 z-50 glass-sheet w-56 rounded-box p-3 shadow-xl"
      style={{ transform: `translate(${x + 12}px, ${y + 12}px)` }}
    >
      <p className="font-semibold wrap-anywhere">{lead.name}</p>
      <p className="text-note text-muted">{there}</p>
    </div>
  )
}
