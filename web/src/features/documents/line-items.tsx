// Line items editor of invoices and change orders: lines, price book, discount.
import { type KeyboardEvent, lazy, Suspense, useEffect, useState } from 'react'
import { useFieldArray, type UseFormReturn } from 'react-hook-form'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { FieldError } from '@/ui/field'
import { LineFields } from './line-fields'
import { PercentOrAmountFields } from './percent-or-amount-fields'
import type { PriceItem } from './queries'
import { emptyLine } from './line-values'
import { isEmptyLine, toLineFromPrice } from './price-line'
import { LINE_ITEM_LIMITS, type LineItemsValues } from './schema'
import { useReorderLine } from './use-reorder-line'
import { useTaxes } from './use-tax-choices'

const PricePicker = lazy(async () => ({ default: (await import('./price-picker')).PricePicker }))

/** A form that has more fields than a paper's is a paper's form too; its own types cannot say so. */
export const asLineItemsForm = <T extends LineItemsValues>(form: UseFormReturn<T>) =>
  form as unknown as UseFormReturn<LineItemsValues>

type LineItemsProps = {
  form: UseFormReturn<LineItemsValues>
  /** Estimates may have add-ons; invoices have none. */ isForEstimate: boolean
}

export function LineItems({ form, isForEstimate }: LineItemsProps) {
  const { defaultTax, rates } = useTaxes()
  const lines = useFieldArray({ control: form.control, name: 'lines' })
  const { list, move, announcement } = useReorderLine(lines.move)
  const [isPicking, setIsPicking] = useState(false)
  const isOnline = useOnline()
  useDefaultTaxOnFirstLine(form, defaultTax)
  const { error } = form.getFieldState('lines', form.formState)
  const errorText = error?.message ?? error?.root?.message
  const pick = (item: PriceItem) => {
    const line = toLineFromPrice(item, rates, defaultTax)
    const values = form.getValues('lines')
    const last = values.length - 1
    if (isEmptyLine(values[last])) lines.update(last, line)
    else lines.append(line, { shouldFocus: false })
  }
  const isFull = lines.fields.length >= LINE_ITEM_LIMITS.lines
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it stops Enter in its fields
    <section aria-label={t('Lines')} data-wide className="grid gap-4" onKeyDown={preventEnterSubmit}>
      <ol ref={list} className="grid gap-3">
        {lines.fields.map(({ id }, at) => (
          <LineFields
            key={id}
            form={form}
            at={at}
            isForEstimate={isForEstimate}
            count={lines.fields.length}
            onRemove={() => lines.remove(at)}
            onMove={(to) => move(at, to)}
          />
        ))}
      </ol>
      <p role="status" className="sr-only">
        {announcement}
      </p>
      {errorText && <FieldError>{errorText}</FieldError>}
      {!isFull && (
        <div className="grid gap-2 sm:grid-cols-2">
          <Button variant="secondary" icon="plus" onClick={() => lines.append(emptyLine(defaultTax))}>
            {t('Add line')}
          </Button>
          <Button variant="secondary" icon="search" disabled={!isOnline} onClick={() => setIsPicking(true)}>
            {t('From the price book')}
          </Button>
        </div>
      )}
      <PercentOrAmountFields
        form={form}
        kind="discountKind"
        value="discount"
        label={t('Discount')}
        percent={t('Percent off')}
        amount={t('Dollars off')}
      />
      {isPicking && (
        <Suspense fallback={null}>
          <PricePicker onPick={pick} onClose={() => setIsPicking(false)} />
        </Suspense>
      )}
    </section>
  )
}

/** Enter between two prices must not send the paper to the customer. */
export function preventEnterSubmit(event: KeyboardEvent): void {
  if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault()
}

/** The first line is there before the settings are. */
export function useDefaultTaxOnFirstLine(form: UseFormReturn<LineItemsValues>, defaultTax: string): void {
  useEffect(() => {
    const [first, second] = form.getValues('lines')
    if (defaultTax !== '' && first?.name === '' && first.tax === '' && !second) form.setValue('lines.0.tax', defaultTax)
  }, [form, defaultTax])
}
