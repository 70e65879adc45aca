// One line of an option: what, how many, for how much; the rest is folded away.
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { LineAmount, LineDetails } from '@/features/documents/line-fields'
import { LineNameField } from '@/features/documents/line-name-field'
import { toLineFromPrice } from '@/features/documents/price-line'
import type { PriceItem } from '@/features/documents/queries'
import { useTaxes } from '@/features/documents/use-tax-choices'
import { classNames } from '@/lib/class-names'
import { t } from '@/lib/i18n'
import { IconButton } from '@/ui/button'
import { LineActions } from './line-actions'
import { LineCell, PriceInput } from './line-cells'
import { columnTexts as texts } from './messages'
import { type LinePlace, SHARED_COLUMN } from './option-structure'
import { QuantityStepper } from './quantity-stepper'
import type { EstimateColumns } from './use-estimate-columns'
import type { LineDragging } from './use-line-drag'

const PRICE_BOOK_FIELDS = ['name', 'description', 'unit', 'unitPrice', 'tax', 'priceItemId'] as const

export type LineCardProps = {
  columns: EstimateColumns
  line: LinePlace
  /** An option's id, or the shared column. */ column: string
  /** In its column, from 0. */ index: number
  dragging: LineDragging
}

export function LineCard(props: LineCardProps) {
  const { columns, line, column, index, dragging } = props
  const { drag } = dragging
  const [isOpen, setIsOpen] = useState(false)
  const card = useRef<HTMLLIElement>(null)
  const focusPart = (part: 'price' | 'actions') =>
    card.current?.querySelector<HTMLElement>(`[data-part="${part}"]`)?.focus()
  const closeActions = () => {
    setIsOpen(false)
    focusPart('actions')
  }
  const isDropPoint = drag?.over?.column === column && drag.over.before === line.id
  return (
    <li
      ref={card}
      aria-label={t('Line {place}', { place: index + 1 })}
      data-line={line.id}
      data-at={line.at}
      className={classNames(
        'grid gap-2 rounded-field border p-2',
        isDropPoint ? 'border-t-4 border-primary' : 'border-primary/22',
        drag?.line.id === line.id && 'opacity-40',
      )}
    >
      <LineHeading {...props} isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)} onEnter={() => focusPart('price')} />
      {isOpen && <LineActions columns={columns} line={line} column={column} index={index} onDone={closeActions} />}
      <LineFigures {...props} onEnter={() => goToNextLine(card.current, columns, column)} />
      <p className="px-1 text-right">
        <LineAmount form={columns.form} at={line.at} />
      </p>
      <LineDetails form={columns.form} at={line.at} isForEstimate />
    </li>
  )
}

type LineHeadingProps = LineCardProps & { isOpen: boolean; onToggle: () => void; onEnter: () => void }

function LineHeading({ columns, line, column, index, dragging, isOpen, onToggle, onEnter }: LineHeadingProps) {
  const { form, handleHintId } = columns
  const { at } = line
  const labelId = useId()
  const pick = usePriceBookLine(columns, at)
  const besideLabel = isLabelled(index) && 'mt-6'
  return (
    <div className="flex items-start">
      <IconButton
        data-part="handle"
        label={texts.handle(index + 1)}
        aria-describedby={handleHintId}
        icon="menu"
        className={classNames('shrink-0 cursor-grab touch-none', besideLabel)}
        onPointerDown={(event) => dragging.start(event, line)}
        onKeyDown={(event) => moveByKey(event, columns, line, column)}
      />
      <LineCell
        form={form}
        name={`lines.${at}.name`}
        id={labelId}
        label={texts.name}
        isLabelled={isLabelled(index)}
        className="flex-1"
      >
        {(errorId) => (
          <LineNameField form={form} at={at} labelId={labelId} describedBy={errorId} onPick={pick} onEnter={onEnter} />
        )}
      </LineCell>
      <IconButton
        data-part="actions"
        label={texts.lineActions(index + 1)}
        icon="dots"
        aria-expanded={isOpen}
        className={classNames('shrink-0', besideLabel)}
        onClick={onToggle}
      />
    </div>
  )
}

function LineFigures({ columns: { form }, line: { at }, index, onEnter }: LineCardProps & { onEnter: () => void }) {
  const [quantityId, priceId] = [useId(), useId()]
  const cell = { form, isLabelled: isLabelled(index) }
  return (
    <div className="flex flex-wrap gap-2">
      <LineCell
        {...cell}
        name={`lines.${at}.quantity`}
        id={quantityId}
        label={texts.quantity}
        className="grow basis-36"
      >
        {(errorId) => (
          <QuantityStepper form={form} at={at} place={index + 1} labelId={quantityId} describedBy={errorId} />
        )}
      </LineCell>
      <LineCell {...cell} name={`lines.${at}.unitPrice`} id={priceId} label={texts.price} className="grow basis-24">
        {(errorId) => <PriceInput form={form} at={at} labelId={priceId} describedBy={errorId} onEnter={onEnter} />}
      </LineCell>
    </div>
  )
}

/** The first line of a column shows its labels. */
const isLabelled = (index: number) => index === 0

/** Fills the line from the price book; what is in the fields keeps the focus. */
function usePriceBookLine({ form }: EstimateColumns, at: number) {
  const { rates, defaultTax } = useTaxes()
  return (item: PriceItem) => {
    const line = toLineFromPrice(item, rates, defaultTax)
    for (const field of PRICE_BOOK_FIELDS) form.setValue(`lines.${at}.${field}`, line[field], { shouldDirty: true })
    if (form.formState.isSubmitted) void form.trigger(`lines.${at}`)
  }
}

/** Enter in a price leads to the next line; after the last one a new line begins. */
function goToNextLine(card: HTMLElement | null, columns: EstimateColumns, column: string): void {
  const next = card?.nextElementSibling
  if (next instanceof HTMLElement) next.querySelector<HTMLElement>('[role="combobox"]')?.focus()
  else if (!columns.isFull) columns.addLine(column)
}

/** Up and down in its column, left and right to the next one. */
function moveByKey(event: KeyboardEvent, columns: EstimateColumns, line: LinePlace, column: string): void {
  const own = columns.columnOf(column)
  const index = own.findIndex(({ id }) => id === line.id)
  const order = columns.hasOptions ? [SHARED_COLUMN, ...columns.optionIds] : [SHARED_COLUMN]
  const beside = order[order.indexOf(column) + (event.key === 'ArrowLeft' ? -1 : 1)]
  const isAcross = event.key === 'ArrowLeft' || event.key === 'ArrowRight'
  if (event.key === 'ArrowUp' && index > 0) columns.moveLine(line, column, own[index - 1]?.at, 'handle')
  else if (event.key === 'ArrowDown' && index < own.length - 1)
    columns.moveLine(line, column, own[index + 2]?.at ?? endOf(own), 'handle')
  else if (isAcross && beside !== undefined) columns.moveLine(line, beside, undefined, 'handle')
  else return
  event.preventDefault()
}

/** Behind the last line of a column. */
const endOf = (lines: readonly LinePlace[]): number => (lines.at(-1)?.at ?? 0) + 1
