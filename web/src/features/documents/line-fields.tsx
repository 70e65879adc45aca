import { useWatch, type UseFormReturn } from 'react-hook-form'
import { formatCents } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { IconButton } from '@/ui/button'
import { CheckboxField } from '@/ui/checkbox-field'
import { Disclosure } from '@/ui/disclosure'
import { SelectField, TextField } from '@/ui/field'
import { getLineAmount, toDollars } from './document-totals'
import { PercentOrAmountFields } from './percent-or-amount-fields'
import { parseTaxKey, toScaledLine } from './line-values'
import { LINE_ITEM_LIMITS, type LineItemsValues } from './schema'
import { useTaxChoices, useTaxes } from './use-tax-choices'

type LineFieldsProps = {
  form: UseFormReturn<LineItemsValues>
  at: number
  /** Estimates have add-ons; invoices have none. */
  isForEstimate: boolean
  /** How many there are. */
  count: number
  onRemove: () => void
  onMove: (to: number) => void
}

export function LineFields({ form, at, isForEstimate, count, onRemove, onMove }: LineFieldsProps) {
  return (
    <li
      aria-label={t('Line {number}', { number: at + 1 })}
      className="grid gap-3 rounded-field border border-primary/22 p-3"
    >
      <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_7rem_9rem]">
        <TextField
          form={form}
          name={`lines.${at}.name`}
          label={t('What')}
          required
          maxLength={LINE_ITEM_LIMITS.name}
          autoComplete="off"
          placeholder={t('Replace the shingles')}
        />
        <div className="grid grid-cols-2 gap-3 sm:contents">
          <TextField
            form={form}
            name={`lines.${at}.quantity`}
            label={t('Quantity')}
            required
            inputMode="decimal"
            autoComplete="off"
          />
          <TextField
            form={form}
            name={`lines.${at}.unitPrice`}
            label={t('Price each')}
            required
            inputMode="decimal"
            autoComplete="off"
            placeholder="0.00"
          />
        </div>
      </div>
      <LineDetails form={form} at={at} isForEstimate={isForEstimate} />
      <div className="flex min-h-12 items-center gap-1">
        <LineAmount form={form} at={at} />
        {count > 1 && (
          <>
            <IconButton
              data-move="up"
              label={t('Move line {number} up', { number: at + 1 })}
              icon="chevron-down"
              className="ml-auto rotate-180"
              disabled={at === 0}
              onClick={() => onMove(at - 1)}
            />
            <IconButton
              data-move="down"
              label={t('Move line {number} down', { number: at + 1 })}
              icon="chevron-down"
              disabled={at === count - 1}
              onClick={() => onMove(at + 1)}
            />
            <IconButton label={t('Remove line {number}', { number: at + 1 })} icon="trash" onClick={onRemove} />
          </>
        )}
      </div>
    </li>
  )
}

type PartProps = Pick<LineFieldsProps, 'form' | 'at'>

const OPTIONAL_FIELDS = ['unit', 'tax', 'discount', 'description'] as const

export function LineDetails({ form, at, isForEstimate }: Pick<LineFieldsProps, 'form' | 'at' | 'isForEstimate'>) {
  const taxes = useTaxChoices(form.getValues(`lines.${at}.tax`))
  // What is wrong must be in sight.
  const isFaulty = OPTIONAL_FIELDS.some((field) => form.getFieldState(`lines.${at}.${field}`, form.formState).invalid)
  return (
    <Disclosure
      summary={taxes.length > 0 ? t('Unit, tax, discount and more') : t('Unit, discount and more')}
      isOpen={isFaulty}
    >
      <div className="grid gap-3 pt-1 pb-3">
        <div className="grid grid-cols-2 gap-3">
          <TextField
            form={form}
            name={`lines.${at}.unit`}
            label={t('Unit')}
            maxLength={LINE_ITEM_LIMITS.unit}
            autoComplete="off"
            placeholder={t('each')}
          />
          {taxes.length > 0 && (
            <SelectField
              form={form}
              name={`lines.${at}.tax`}
              label={t('Tax')}
              placeholder={t('No tax')}
              options={taxes}
            />
          )}
        </div>
        <PercentOrAmountFields
          form={form}
          kind={`lines.${at}.discountKind`}
          value={`lines.${at}.discount`}
          label={t('Discount on this line')}
          percent={t('Percent off')}
          amount={t('Dollars off')}
        />
        <TextField
          form={form}
          name={`lines.${at}.description`}
          label={t('More about it')}
          maxLength={LINE_ITEM_LIMITS.description}
          autoComplete="off"
        />
        <CheckboxField form={form} name={`lines.${at}.isCredit`}>
          {t('Credit: comes off the total')}
        </CheckboxField>
        {isForEstimate && (
          <CheckboxField form={form} name={`lines.${at}.optional`}>
            {t('Optional: the customer may add it')}
          </CheckboxField>
        )}
      </div>
    </Disclosure>
  )
}

/** Computed in its own component, so that a keystroke rerenders one line only. */
export function LineAmount({ form, at }: PartProps) {
  const line = useWatch({ control: form.control, name: `lines.${at}` })
  const hasOptions = useWatch({ control: form.control, name: 'hasOptions' })
  const hasTaxes = useTaxes().rates.length > 0
  if (!line) return <span />
  const tax = parseTaxKey(line.tax)
  return (
    <span>
      <span className="font-semibold tabular-nums">
        {formatCents(toDollars(getLineAmount(toScaledLine(line, hasOptions))))}
      </span>
      <span className="text-note text-muted">
        {tax ? ` + ${tax.name}` : hasTaxes && `, ${t('no tax')}`}
        {line.optional && `, ${t('if added')}`}
      </span>
    </span>
  )
}
