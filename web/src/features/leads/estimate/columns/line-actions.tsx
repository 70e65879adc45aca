// What can be done with a line, each without dragging.
import { Button } from '@/ui/button'
import type { IconName } from '@/ui/icon'
import { columnTexts as texts } from './messages'
import { type LinePlace, SHARED_COLUMN } from './option-structure'
import type { LinePart } from './use-column-report'
import type { EstimateColumns } from './use-estimate-columns'

type LineActionsProps = {
  columns: EstimateColumns
  line: LinePlace
  column: string
  index: number
  onDone: () => void
}

type Action = {
  label: string
  icon: IconName
  isOff?: boolean
  run: () => void
  /** After it the list stays open. */ part?: LinePart
}

type Listed = Omit<LineActionsProps, 'onDone'>

function listMoves({ columns, line, column, index }: Listed): Action[] {
  const own = columns.columnOf(column)
  const last = own.length - 1
  if (last < 1) return []
  const end = (own[last]?.at ?? 0) + 1
  return [
    {
      label: texts.moveUp(index + 1),
      icon: 'arrow-up',
      isOff: index === 0,
      part: 'up',
      run: () => columns.moveLine(line, column, own[index - 1]?.at, 'up'),
    },
    {
      label: texts.moveDown(index + 1),
      icon: 'arrow-down',
      isOff: index === last,
      part: 'down',
      run: () => columns.moveLine(line, column, own[index + 2]?.at ?? end, 'down'),
    },
  ]
}

/** To the other options, and to all of them. */
function listTransfers({ columns, line, column }: Listed): Action[] {
  if (!columns.hasOptions) return []
  const isShared = column === SHARED_COLUMN
  const moveTo = (id: string) => () => columns.moveLine(line, id, undefined, 'actions')
  const others = columns.optionIds.filter((id) => id !== column)
  return [
    ...others.flatMap((id): Action[] => {
      const name = columns.nameOf(id)
      const move: Action = { label: texts.moveTo(name), icon: 'arrow-right', run: moveTo(id) }
      if (isShared) return [move]
      const copyTo = () => columns.copyTo(line, id)
      return [{ label: texts.copyTo(name), icon: 'copy', isOff: columns.isFull, run: copyTo }, move]
    }),
    ...(isShared ? [] : [{ label: texts.moveToShared, icon: 'board' as const, run: moveTo(SHARED_COLUMN) }]),
  ]
}

function listActions(listed: Listed): Action[] {
  const { columns, line, index } = listed
  const removal: Action = {
    label: texts.removeLine(index + 1),
    icon: 'trash',
    run: () => columns.removeLine(line),
  }
  return [...listMoves(listed), ...listTransfers(listed), ...(columns.hasSeveralLines ? [removal] : [])]
}

export function LineActions({ onDone, ...props }: LineActionsProps) {
  return (
    <div role="group" aria-label={texts.lineActions(props.index + 1)} className="grid gap-1">
      {listActions(props).map(({ label, icon, isOff = false, run, part }) => (
        <Button
          key={label}
          variant="ghost"
          icon={icon}
          data-part={part}
          disabled={isOff}
          className="justify-start text-left font-normal!"
          onClick={() => {
            run()
            if (!part) onDone()
          }}
        >
          <span className="min-w-0 wrap-anywhere">{label}</span>
        </Button>
      ))}
    </div>
  )
}
