// What can be done with a line, each without dragging.
import { Button } from '@/ui/button'
import type { IconName } from '@/ui/icon'
import { columnTexts as texts } from './messages'
import { type LinePlace, SHARED_COLUMN } from './option-structure'
import type { EstimateColumns, LinePart } from './use-estimate-columns'

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

function listActions({ columns, line, column, index }: Omit<LineActionsProps, 'onDone'>): Action[] {
  const own = columns.columnOf(column)
  const place = index + 1
  const last = own.length - 1
  const end = (own[last]?.at ?? 0) + 1
  const others = columns.hasOptions ? columns.optionIds.filter((id) => id !== column) : []
  const order: Action[] = [
    {
      label: texts.moveUp(place),
      icon: 'arrow-up',
      isOff: index === 0,
      part: 'up',
      run: () => columns.moveLine(line, column, own[index - 1]?.at, 'up'),
    },
    {
      label: texts.moveDown(place),
      icon: 'arrow-down',
      isOff: index === last,
      part: 'down',
      run: () => columns.moveLine(line, column, own[index + 2]?.at ?? end, 'down'),
    },
  ]
  const across = others.flatMap((id): Action[] => {
    const name = columns.nameOf(id)
    const move: Action = {
      label: texts.moveTo(name),
      icon: 'arrow-right',
      run: () => columns.moveLine(line, id, undefined, 'actions'),
    }
    const copy: Action = {
      label: texts.copyTo(name),
      icon: 'copy',
      isOff: columns.isFull,
      run: () => columns.copyTo(line, id),
    }
    return column === SHARED_COLUMN ? [move] : [copy, move]
  })
  return [
    ...(own.length > 1 ? order : []),
    ...across,
    ...(columns.hasOptions && column !== SHARED_COLUMN
      ? [
          {
            label: texts.moveToShared,
            icon: 'board' as const,
            run: () => columns.moveLine(line, SHARED_COLUMN, undefined, 'actions'),
          },
        ]
      : []),
    ...(columns.hasSeveralLines
      ? [{ label: texts.removeLine(place), icon: 'trash' as const, run: () => columns.removeLine(line) }]
      : []),
  ]
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
