import {
  DEFAULT_INVOICE_SORT,
  INVOICE_FILTERS,
  INVOICE_SORTS,
  INVOICE_STATUSES,
  type InvoiceSort,
} from '@/domain/invoice'
import { t } from '@/lib/i18n'
import { ChipChoice } from '@/ui/chip-choice'
import { SearchBox } from '@/ui/search-box'
import type { InvoiceFilterState } from '../lib/use-invoice-filters'

const CHIPS = [
  { value: '', label: t('All') },
  ...INVOICE_FILTERS.map((value) => ({
    value,
    label: value === 'unpaid' ? t('Open or overdue') : INVOICE_STATUSES[value].label,
  })),
] as const

export function InvoiceFilterBar({ filterState: { filters, text, change } }: { filterState: InvoiceFilterState }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex gap-2">
        <div className="min-w-0 flex-1">
          <SearchBox
            label={t('Search invoices by customer or number')}
            placeholder={t('Customer or number')}
            value={text}
            onChange={(q) => change({ q })}
          />
        </div>
        <select
          aria-label={t('Order')}
          className="select w-auto! pr-9!"
          value={filters.sort ?? DEFAULT_INVOICE_SORT}
          onChange={({ target }) => change({ sort: target.value as InvoiceSort })}
        >
          {Object.entries(INVOICE_SORTS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <ChipChoice legend={t('Status')} chips={CHIPS} value={filters.status} onChange={(status) => change({ status })} />
    </div>
  )
}
