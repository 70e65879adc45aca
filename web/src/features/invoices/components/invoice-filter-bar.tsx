import { INVOICE_FILTERS, INVOICE_STATUSES } from '@/domain/invoice'
import { ChipChoice } from '@/ui/chip-choice'
import { SearchBox } from '@/ui/search-box'
import type { InvoiceFilterState } from '../lib/use-invoice-filters'

const CHIPS = [
  { value: '', label: 'All' },
  ...INVOICE_FILTERS.map((value) => ({
    value,
    label: value === 'unpaid' ? 'Open or overdue' : INVOICE_STATUSES[value].label,
  })),
] as const

export function InvoiceFilterBar({ filterState: { filters, text, change } }: { filterState: InvoiceFilterState }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <SearchBox
        label="Search invoices by customer or number"
        placeholder="Customer or number"
        value={text}
        onChange={(q) => change({ q })}
      />
      <ChipChoice legend="Status" chips={CHIPS} value={filters.status} onChange={(status) => change({ status })} />
    </div>
  )
}
