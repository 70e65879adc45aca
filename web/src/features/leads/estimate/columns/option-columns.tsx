// The estimate in columns: beside each other on a wide screen, pages with tabs on a narrow one.
import { type RefObject, useEffect, useId, useRef, useState } from 'react'
import { useWatch, type UseFormReturn } from 'react-hook-form'
import { preventEnterSubmit, useDefaultTaxOnFirstLine } from '@/features/documents/line-items'
import { PercentOrAmountFields } from '@/features/documents/percent-or-amount-fields'
import { LINE_ITEM_LIMITS, type LineItemsValues } from '@/features/documents/schema'
import { useTaxes } from '@/features/documents/use-tax-choices'
import { classNames } from '@/lib/class-names'
import { formatMoney } from '@/lib/format/money'
import { useMediaQuery } from '@/lib/hooks/use-media-query'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { FieldError } from '@/ui/field'
import { TabList } from '@/ui/tabs'
import { useShownTotals } from '../use-estimate-totals'
import { columnTexts as texts } from './messages'
import { OptionColumn, PlainColumn } from './option-column'
import { type LinePlace, SHARED_COLUMN } from './option-structure'
import { UndoBar } from './undo-bar'
import type { FocusTarget } from './use-column-report'
import { type EstimateColumns, useEstimateColumns } from './use-estimate-columns'
import { type DropTarget, useLineDrag } from './use-line-drag'

const WIDE = '(min-width: 64rem)'
const MAX_TAB_NAME = 24

type FormProps = { form: UseFormReturn<LineItemsValues> }

export function OptionColumns({ form }: FormProps) {
  const { defaultTax } = useTaxes()
  useDefaultTaxOnFirstLine(form, defaultTax)
  const handleHintId = useId()
  const columns = useEstimateColumns(form, defaultTax, handleHintId)
  const { hasOptions, removal } = columns
  const root = useRef<HTMLElement>(null)
  useColumnFocus(root, columns.focus)
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it stops Enter in its fields
    <section
      ref={root}
      aria-label={t('Lines')}
      data-wide={hasOptions ? undefined : true}
      data-full={hasOptions || undefined}
      className="grid grid-cols-[minmax(0,1fr)] gap-4"
      onKeyDown={preventEnterSubmit}
    >
      <p id={handleHintId} hidden>
        {texts.handleHint}
      </p>
      <ColumnPages columns={columns} />
      <StructureErrors form={form} />
      {columns.optionIds.length < LINE_ITEM_LIMITS.options && <AddOption columns={columns} />}
      <PercentOrAmountFields
        form={form}
        kind="discountKind"
        value="discount"
        label={t('Discount')}
        percent={t('Percent off')}
        amount={t('Dollars off')}
      />
      <p role="status" className="sr-only">
        {columns.announcement}
      </p>
      {removal && (
        <UndoBar
          key={removal.key}
          title={removal.title}
          onUndo={columns.undoRemoval}
          onClose={columns.dismissRemoval}
        />
      )}
    </section>
  )
}

function ColumnPages({ columns }: { columns: EstimateColumns }) {
  const isWide = useMediaQuery(WIDE, true)
  const row = useRef<HTMLDivElement>(null)
  const id = useId()
  const dragging = useLineDrag((line, target) => dropLine(columns, line, target))
  const { hasOptions, optionIds, shared } = columns
  const tabId = isWide ? undefined : id
  if (!hasOptions) return <PlainColumn columns={columns} column={SHARED_COLUMN} dragging={dragging} />
  return (
    <>
      {shared.length > 0 && (
        <section aria-label={texts.shared} className="grid gap-2 rounded-box border border-primary/22 p-3">
          <h3 className="font-semibold">
            {texts.shared}
            <span className="block text-caption font-normal text-muted">{texts.sharedHint}</span>
          </h3>
          <PlainColumn columns={columns} column={SHARED_COLUMN} dragging={dragging} />
        </section>
      )}
      {tabId && <ColumnTabs columns={columns} id={tabId} row={row} />}
      <div
        ref={row}
        className={classNames(
          'flex gap-3 overflow-x-auto lg:grid lg:auto-cols-[minmax(18rem,1fr)] lg:grid-flow-col',
          // What snaps cannot be scrolled by a drag.
          !isWide && !dragging.drag && 'snap-x snap-mandatory',
        )}
      >
        {optionIds.map((column) => (
          <OptionColumn key={column} columns={columns} column={column} dragging={dragging} tabId={tabId} />
        ))}
      </div>
    </>
  )
}

function dropLine(columns: EstimateColumns, { id }: LinePlace, { column, before }: DropTarget): void {
  const line = columns.findPlace(id)
  if (!line) return
  const own = columns.columnOf(column)
  const next = own.find((place) => place.id === before)
  // Dropped where it is.
  if (own.length > 0 && next === undefined && own.at(-1)?.id === id) return
  columns.moveLine(line, column, next?.at, 'handle')
}

type ColumnTabsProps = { columns: EstimateColumns; id: string; row: RefObject<HTMLDivElement | null> }

/** The tabs follow the pages, and the pages the tabs. */
function ColumnTabs({ columns: { form, optionIds }, id, row }: ColumnTabsProps) {
  const totals = useShownTotals()
  useWatch({ control: form.control, name: 'options' })
  const options = form.getValues('options')
  const [current, setCurrent] = useState(optionIds[0] ?? '')
  useEffect(() => {
    const pages = row.current
    if (!pages) return
    const follow = () => {
      const at = Math.round(pages.scrollLeft / Math.max(1, pages.clientWidth))
      setCurrent((shown) => optionIds[at] ?? shown)
    }
    pages.addEventListener('scroll', follow, { passive: true })
    return () => pages.removeEventListener('scroll', follow)
  }, [row, optionIds])
  const show = (optionId: string) => {
    setCurrent(optionId)
    row.current?.children[optionIds.indexOf(optionId)]?.scrollIntoView({ block: 'nearest', inline: 'start' })
  }
  const tabs = optionIds.map((optionId, at) => {
    const total = totals.find((one) => one.optionId === optionId)?.total
    const name = shortenName(options[at]?.name || texts.unnamed(at + 1))
    return { name: optionId, label: total === undefined ? name : `${name} ${formatMoney(total)}` }
  })
  return (
    <div className="sticky top-0 z-20 bg-base-100">
      <TabList
        label={texts.tabs}
        id={id}
        tabs={tabs}
        current={optionIds.includes(current) ? current : (optionIds[0] ?? '')}
        onChange={show}
      />
    </div>
  )
}

const shortenName = (name: string) => (name.length > MAX_TAB_NAME ? `${name.slice(0, MAX_TAB_NAME)}…` : name)

function AddOption({ columns }: { columns: EstimateColumns }) {
  const { hasOptions, optionIds, nameOf, addOption } = columns
  const before = optionIds.at(-1)
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button variant="secondary" icon="plus" onClick={addOption}>
        {texts.addOption}
      </Button>
      <p className="text-caption text-muted wrap-anywhere">
        {hasOptions && before !== undefined ? texts.addHint(nameOf(before)) : texts.addFirstHint}
      </p>
    </div>
  )
}

/** What is wrong with the lines or the options as a whole. */
function StructureErrors({ form }: FormProps) {
  const errors = (['lines', 'options'] as const).flatMap((name) => {
    const { error } = form.getFieldState(name, form.formState)
    return error?.message ?? error?.root?.message ?? []
  })
  return errors.map((message) => <FieldError key={message}>{message}</FieldError>)
}

function getFocusScope(focus: FocusTarget): string {
  if ('at' in focus) return `[data-at="${focus.at}"]`
  return 'line' in focus ? `[data-line="${CSS.escape(focus.line)}"]` : `[data-column="${CSS.escape(focus.column)}"]`
}

/** At the end of its way a line can only go back. */
const PART_FALLBACKS: Readonly<Record<string, string>> = { up: 'down', down: 'up' }

function findFocusTarget(root: HTMLElement, focus: FocusTarget): HTMLElement | null {
  const scope = root.querySelector(getFocusScope(focus))
  const find = (part: string) => scope?.querySelector<HTMLElement>(`[data-part="${part}"]:enabled`) ?? null
  const fallback = PART_FALLBACKS[focus.part]
  return find(focus.part) ?? (fallback === undefined ? null : find(fallback))
}

/** After a change the focus is where the work goes on. A first empty line has it from the start. */
function useColumnFocus(root: RefObject<HTMLElement | null>, focus: FocusTarget | undefined): void {
  useEffect(() => {
    const name = root.current?.querySelector<HTMLInputElement>('[role="combobox"]')
    if (name?.value === '') name.focus()
  }, [root])
  useEffect(() => {
    if (!focus || !root.current) return
    const target = findFocusTarget(root.current, focus)
    target?.focus()
    target?.scrollIntoView?.({ block: 'nearest', inline: 'start' })
  }, [root, focus])
}
