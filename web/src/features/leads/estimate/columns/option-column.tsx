// One option: name, lines, and what they come to.
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { isEmptyLine, toLineFromPrice } from '@/features/documents/price-line'
import type { PriceItem } from '@/features/documents/queries'
import { LINE_ITEM_LIMITS } from '@/features/documents/schema'
import { useTaxes } from '@/features/documents/use-tax-choices'
import { classNames } from '@/lib/class-names'
import { useOnline } from '@/lib/hooks/use-online'
import { Button, IconButton } from '@/ui/button'
import { Disclosure } from '@/ui/disclosure'
import { TextField } from '@/ui/field'
import { ColumnTotals } from './column-totals'
import { LineCard } from './line-card'
import { columnTexts as texts } from './messages'
import { SHARED_COLUMN } from './option-structure'
import type { EstimateColumns } from './use-estimate-columns'
import type { LineDragging } from './use-line-drag'

const PricePicker = lazy(async () => ({
  default: (await import('@/features/documents/price-picker')).PricePicker,
}))

type ColumnProps = { columns: EstimateColumns; column: string; dragging: LineDragging }

/** The lines without options, and those of every option. */
export function PlainColumn({ columns, column, dragging }: ColumnProps) {
  return (
    <div data-column={column} className="grid content-start gap-3">
      <ColumnLines columns={columns} column={column} dragging={dragging} />
      {!columns.hasOptions && <ColumnTotals optionId={column} />}
    </div>
  )
}

type OptionColumnProps = ColumnProps & { /** Of its tab, where there are tabs. */ tabId: string | undefined }

export function OptionColumn({ columns, column, dragging, tabId }: OptionColumnProps) {
  const { form, optionIds } = columns
  const at = optionIds.indexOf(column)
  const [beforeId, before] = [optionIds[at - 1], Math.max(0, at - 1)]
  const beforeName = useWatch({ control: form.control, name: `options.${before}.name` })
  return (
    <ColumnFrame columns={columns} column={column} at={at} tabId={tabId}>
      <OptionHeading columns={columns} column={column} at={at} />
      <ColumnLines columns={columns} column={column} dragging={dragging} />
      <div className="mt-auto">
        <ColumnTotals
          optionId={column}
          before={beforeId === undefined ? undefined : { optionId: beforeId, name: beforeName || texts.unnamed(at) }}
        />
      </div>
    </ColumnFrame>
  )
}

type FrameProps = Pick<OptionColumnProps, 'columns' | 'column' | 'tabId'> & { at: number; children: ReactNode }

function ColumnFrame({ columns: { form }, column, at, tabId, children }: FrameProps) {
  const name = useWatch({ control: form.control, name: `options.${at}.name` }) || texts.unnamed(at + 1)
  const isRecommended = useWatch({ control: form.control, name: 'recommended' }) === column
  return (
    <section
      data-column={column}
      role={tabId ? 'tabpanel' : undefined}
      id={tabId ? `${tabId}-panel-${column}` : undefined}
      aria-label={name}
      className={classNames(
        'flex w-full min-w-0 shrink-0 snap-start flex-col gap-3 rounded-box border p-3 lg:w-auto',
        isRecommended ? 'border-primary' : 'border-primary/22',
      )}
    >
      {children}
    </section>
  )
}

function OptionHeading({ columns, column, at }: { columns: EstimateColumns; column: string; at: number }) {
  const { form } = columns
  const [name, description] = useWatch({
    control: form.control,
    name: [`options.${at}.name`, `options.${at}.description`],
  })
  const shownName = name || texts.unnamed(at + 1)
  return (
    <header className="grid gap-1">
      <div className="flex items-end gap-1">
        <TextField
          form={form}
          name={`options.${at}.name`}
          label={texts.optionName}
          required
          maxLength={LINE_ITEM_LIMITS.name}
          autoComplete="off"
          className="min-w-0 flex-1"
        />
        <IconButton
          label={texts.removeOption(shownName)}
          icon="trash"
          className="shrink-0"
          onClick={() => columns.removeOption(column)}
        />
      </div>
      <label className="flex min-h-11 w-fit cursor-pointer items-center gap-3">
        <input
          type="radio"
          className="radio radio-primary radio-sm shrink-0"
          value={column}
          {...form.register('recommended')}
        />
        <span>
          {texts.recommended}
          <span className="sr-only">: {shownName}</span>
        </span>
      </label>
      <Disclosure summary={texts.describe} isOpen={Boolean(description)}>
        <TextField
          form={form}
          name={`options.${at}.description`}
          label={texts.optionDescription}
          maxLength={LINE_ITEM_LIMITS.description}
          autoComplete="off"
          className="pb-3"
        />
      </Disclosure>
    </header>
  )
}

function ColumnLines({ columns, column, dragging }: ColumnProps) {
  const lines = columns.columnOf(column)
  const [isPicking, setIsPicking] = useState(false)
  const isOnline = useOnline()
  const pick = usePicker(columns, column)
  const isDropEnd = dragging.drag?.over?.column === column && dragging.drag.over.before === undefined
  return (
    <>
      <ol className={classNames('grid gap-2', isDropEnd && 'border-b-4 border-primary')}>
        {lines.map((line, index) => (
          <LineCard key={line.id} columns={columns} line={line} column={column} index={index} dragging={dragging} />
        ))}
      </ol>
      {lines.length === 0 && <p className="text-muted">{texts.noLines}</p>}
      {columns.isFull ? (
        <p className="text-note text-muted">{texts.tooManyLines(LINE_ITEM_LIMITS.lines)}</p>
      ) : (
        <div className="flex flex-wrap gap-2 *:grow">
          <Button
            variant="secondary"
            icon="plus"
            data-part="new-line"
            onClick={() => columns.addLine(columns.hasOptions ? column : SHARED_COLUMN)}
          >
            {texts.addLine}
          </Button>
          <Button variant="secondary" icon="search" disabled={!isOnline} onClick={() => setIsPicking(true)}>
            {texts.fromPriceBook}
          </Button>
        </div>
      )}
      {isPicking && (
        <Suspense fallback={null}>
          <PricePicker onPick={pick} onClose={() => setIsPicking(false)} />
        </Suspense>
      )}
    </>
  )
}

/** Fills the empty line at the end, or adds one. */
function usePicker(columns: EstimateColumns, column: string) {
  const { rates, defaultTax } = useTaxes()
  return (item: PriceItem) => {
    const line = { ...toLineFromPrice(item, rates, defaultTax), optionId: column }
    const last = columns.columnOf(column).at(-1)
    if (last && isEmptyLine(columns.form.getValues(`lines.${last.at}`))) columns.lines.update(last.at, line)
    else columns.lines.append(line, { shouldFocus: false })
  }
}
